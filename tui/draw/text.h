// Text on the screen: pieces of it written onto a line.
#pragma once

#include <fmt/core.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/characters.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// As whole_words(), without an ellipsis where whole clauses can be left out, after "; " or ", ".
std::string whole_clauses(std::string_view text, int columns);

class Pen {
 public:
  Pen(const Area& area, int row, int col = 0) : area_(area), row_(row), col_(col) {}

  int col() const { return col_; }
  int room() const { return area_.cols() - col_; }

  Pen& text(std::string_view text, Ink ink = {}) {
    col_ = area_.put(row_, col_, text, ink);
    return *this;
  }
  Pen& skip(int cols) {
    col_ += cols;
    return *this;
  }

 private:
  Area area_;
  int row_, col_;
};

// A measured value between its words: "EAGAIN" "1 %" "", "" "532 k" "calls/s".
struct Item {
  std::string before, value, after;
  Ink ink = Style::value;  // of the value
  int width = 0;           // the value's minimum width, so that its neighbours do not move

  int columns() const;
};

// Items side by side on all lines; an item that does not fit is left out. Returns the
// lines used.
int put_items(const Area& area, std::span<const Item> items);
// Of them all, on one line.
int line_columns(std::span<const Item> items);

// Text broken at blanks into lines of at most `cols` columns.
std::vector<std::string_view> broken(std::string_view text, int cols);

// Text broken at blanks over the lines of the area; the last one gets an
// ellipsis when there is more. Returns the lines used.
int wrap(const Area& area, std::string_view text, Ink ink);

// Whether `text` contains `part`, in upper or lower case (of ASCII).
bool contains(std::string_view text, std::string_view part);

// For content and quoted attributes of XML documents. What XML cannot contain (control characters
// and invalid UTF-8) becomes U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace pipetop::tui
