// A number that the last row of the audience can read.
#pragma once

#include <string_view>

#include "tui/draw/canvas.h"

namespace pipetop::tui {

enum class DigitSize : uint8_t {
  half,  // 3 rows, two pixels a cell
  full,  // 5 rows, two cells a pixel
};

constexpr int digit_rows(DigitSize size) { return size == DigitSize::half ? 3 : 5; }
int big_number_cols(std::string_view number, DigitSize size);

// Digits and points only.
void draw_big_number(const Area& area, std::string_view number, DigitSize size, Ink ink);

}  // namespace pipetop::tui
