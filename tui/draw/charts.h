// Charts of vertical columns and horizontal bars, filled in eighths of a cell, and
// numbers that can be read from the last row of the audience.
#pragma once

#include <span>
#include <string_view>

#include "tui/draw/canvas.h"

namespace pipetop::tui {

// `heights` are shares of the area's height. Anything above 0 is visible.
void draw_columns(const Area& area, std::span<const double> heights, Ink ink);

// One bar in the area's first row, from the left; a share of the area's width.
void draw_bar(const Area& area, double share_of_full, Ink ink);

enum class DigitSize : uint8_t {
  half,  // 3 rows, two pixels per cell
  full,  // 5 rows, two cells per pixel
  huge,  // 10 rows, four cells and two rows per pixel
};

constexpr int digit_rows(DigitSize size) {
  return size == DigitSize::half ? 3 : size == DigitSize::full ? 5 : 10;
}
int big_number_cols(std::string_view number, DigitSize size);

// Digits, points and the multiplication sign, as '×' or 'x'.
void draw_big_number(const Area& area, std::string_view number, DigitSize size, Ink ink);

}  // namespace pipetop::tui
