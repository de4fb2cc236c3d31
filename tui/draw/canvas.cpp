#include "tui/draw/canvas.h"

#include <algorithm>

#include "tui/draw/text.h"

namespace pipetop::tui {
Canvas::Canvas(const Glyphs& glyphs, int rows, int cols) : glyphs_(&glyphs) { reset(rows, cols); }

void Canvas::reset(int rows, int cols) {
  rows_ = std::max(rows, 0);
  cols_ = std::max(cols, 0);
  cells_.assign(static_cast<size_t>(rows_) * static_cast<size_t>(cols_), Cell{});
}

void Canvas::blank_halves(int row, int col) {
  if (cell(row, col).glyph == 0 && col > 0) cell(row, col - 1).glyph = U' ';
  if (col + 1 < cols_ && cell(row, col + 1).glyph == 0) cell(row, col + 1).glyph = U' ';
}

void Canvas::set(int row, int col, char32_t glyph, Ink ink) {
  if (row < 0 || row >= rows_ || col < 0 || col >= cols_) return;
  // Escape sequences in names must never reach the terminal, nor names that look like others.
  const char32_t shown = is_control(glyph) || is_invisible(glyph) ? U'?' : glyphs_->fold(glyph);
  const int columns = columns_of(shown);
  if (columns == 0) return;
  const bool fits = col + columns <= cols_;
  for (int c = col; c < std::min(col + columns, cols_); ++c) blank_halves(row, c);
  cell(row, col) = {fits ? shown : U' ', ink};
  if (fits && columns == 2) cell(row, col + 1) = {0, ink};
}

void Canvas::set_ink(int row, int col, Ink ink) {
  if (row < 0 || row >= rows_ || col < 0 || col >= cols_) return;
  cell(row, col).ink = ink;
}

std::string Canvas::line(int r) const {
  std::string text;
  for (int c = 0; c < cols_; ++c) {
    if (at(r, c).glyph != 0) append_utf8(text, at(r, c).glyph);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string Canvas::text() const {
  std::string all;
  for (int r = 0; r < rows_; ++r) all += line(r) + '\n';
  return all;
}

Area::Area(Canvas& canvas, Rect rect)
    : canvas_(&canvas), rect_{0, 0, canvas.rows(), canvas.cols()} {
  *this = part(rect);
}

Area Area::part(Rect relative) const {
  const int row = std::clamp(relative.row, 0, rows());
  const int col = std::clamp(relative.col, 0, cols());
  const int end_row = std::clamp(relative.end_row(), row, rows());
  const int end_col = std::clamp(relative.end_col(), col, cols());
  Area area = *this;
  area.rect_ = {rect_.row + row, rect_.col + col, end_row - row, end_col - col};
  return area;
}

void Area::set(int row, int col, char32_t glyph, Ink ink) const {
  if (row < 0 || row >= rows() || col < 0 || col >= cols()) return;
  canvas_->set(rect_.row + row, rect_.col + col, glyph, ink);
}

void Area::fill(char32_t glyph, Ink ink) const {
  for (int r = 0; r < rows(); ++r) {
    for (int c = 0; c < cols(); ++c) set(r, c, glyph, ink);
  }
}

void Area::set_ink(int row, Ink ink) const {
  if (row < 0 || row >= rows()) return;
  for (int c = 0; c < cols(); ++c) canvas_->set_ink(rect_.row + row, rect_.col + c, ink);
}

int Area::put(int row, int col, std::string_view text, Ink ink) const {
  while (!text.empty() && col < cols()) {
    const char32_t c = take_code_point(text);
    const int columns = columns_of(c);
    if (columns == 2 && col + 1 >= cols()) {
      set(row, col, U' ', ink);
      return cols();
    }
    if (columns > 0) set(row, col, c, ink);
    col += columns;
  }
  return col;
}

int Area::put_right(int row, std::string_view text, Ink ink) const {
  return put(row, std::max(0, cols() - columns_of(text)), text, ink);
}

int Area::put_fitted(int row, int col, int width, std::string_view text, Ink ink) const {
  width = std::min(width, cols() - col);
  if (width <= 0) return col;
  if (columns_of(text) <= width) return put(row, col, text, ink);
  const Area room = part({row, col, 1, width - 1});
  const int end = col + room.put(0, 0, text, ink);
  set(row, end, U'…', ink);
  return end + 1;
}

}  // namespace pipetop::tui
