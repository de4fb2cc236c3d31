// A grid of cells to draw a frame into. Nothing here knows a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/draw/style.h"

namespace pipetop::tui {

struct Rect {
  int row = 0, col = 0, rows = 0, cols = 0;

  constexpr bool empty() const { return rows <= 0 || cols <= 0; }
  constexpr int end_row() const { return row + rows; }
  constexpr int end_col() const { return col + cols; }
  constexpr bool contains(int r, int c) const {
    return r >= row && r < end_row() && c >= col && c < end_col();
  }
  bool operator==(const Rect&) const = default;
};

struct Cell {
  char32_t glyph = U' ';  // 0: the right half of a wide character
  Ink ink;
  bool operator==(const Cell&) const = default;
};

class Canvas {
 public:
  explicit Canvas(const Glyphs& glyphs, int rows = 0, int cols = 0);

  // Blank, of a size; keeps its memory.
  void reset(int rows, int cols);

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  const Glyphs& glyphs() const { return *glyphs_; }
  const Cell* row(int r) const { return cells_.data() + static_cast<size_t>(r) * size_t(cols_); }
  const Cell& at(int r, int c) const { return row(r)[c]; }

  // Drawing outside of the grid has no effect. Half of a wide character is never left over.
  void set(int row, int col, char32_t glyph, Ink ink);
  void set_ink(int row, int col, Ink ink);

  // One line as UTF-8 without trailing blanks; all lines.
  std::string line(int row) const;
  std::string text() const;

 private:
  Cell& cell(int r, int c) { return cells_[static_cast<size_t>(r) * size_t(cols_) + size_t(c)]; }
  void blank_halves(int row, int col);

  const Glyphs* glyphs_;
  int rows_ = 0, cols_ = 0;
  std::vector<Cell> cells_;
};

// A window on a canvas: coordinates from its corner, everything else clipped.
class Area {
 public:
  Area(Canvas& canvas, Rect rect);

  int rows() const { return rect_.rows; }
  int cols() const { return rect_.cols; }
  bool empty() const { return rect_.empty(); }
  const Rect& rect() const { return rect_; }
  const Glyphs& glyphs() const { return canvas_->glyphs(); }

  Area part(Rect relative) const;
  Area from_row(int row, int rows = 1 << 20) const { return part({row, 0, rows, cols()}); }

  void set(int row, int col, char32_t glyph, Ink ink) const;
  void fill(char32_t glyph, Ink ink) const;
  // Changes the ink of existing characters.
  void set_ink(int row, Ink ink) const;

  // All put functions return the column after the text.
  int put(int row, int col, std::string_view text, Ink ink) const;
  int put_right(int row, std::string_view text, Ink ink) const;
  // At most `cols` columns; truncated text ends in an ellipsis.
  int put_fitted(int row, int col, int cols, std::string_view text, Ink ink) const;

 private:
  Canvas* canvas_;
  Rect rect_;
};

}  // namespace pipetop::tui
