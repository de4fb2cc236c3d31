#include "tui/draw/charts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr int kPixelRows = 5;

// Five rows of three pixels, the leftmost the highest bit.
using Bitmap = std::array<uint8_t, kPixelRows>;
constexpr std::array<Bitmap, 10> kDigits = {{
    {0b111, 0b101, 0b101, 0b101, 0b111},
    {0b010, 0b110, 0b010, 0b010, 0b111},
    {0b111, 0b001, 0b111, 0b100, 0b111},
    {0b111, 0b001, 0b111, 0b001, 0b111},
    {0b101, 0b101, 0b111, 0b001, 0b001},
    {0b111, 0b100, 0b111, 0b001, 0b111},
    {0b111, 0b100, 0b111, 0b101, 0b111},
    {0b111, 0b001, 0b001, 0b010, 0b010},
    {0b111, 0b101, 0b111, 0b101, 0b111},
    {0b111, 0b101, 0b111, 0b001, 0b111},
}};
constexpr Bitmap kPoint = {0, 0, 0, 0, 0b1};
constexpr Bitmap kTimes = {0b000, 0b101, 0b010, 0b101, 0b000};

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool is_times(char32_t c) { return c == U'×' || c == U'x'; }
const Bitmap& bitmap_of(char32_t c) {
  if (is_times(c)) return kTimes;
  return is_digit(c) ? kDigits[static_cast<size_t>(c - U'0')] : kPoint;
}
int pixels_of(char32_t c) { return is_digit(c) || is_times(c) ? 3 : 1; }
int cols_a_pixel(DigitSize size) {
  return size == DigitSize::half ? 1 : size == DigitSize::full ? 2 : 4;
}

// The pixel at (x, y) of a digit, counted from its upper left.
bool is_lit(char32_t c, int x, int y) {
  return y < kPixelRows &&
         ((bitmap_of(c)[static_cast<size_t>(y)] >> (pixels_of(c) - 1 - x)) & 1) != 0;
}

char32_t digit_glyph(char32_t c, DigitSize size, int row, int col, const Glyphs& g) {
  if (size == DigitSize::full) return is_lit(c, col / 2, row) ? g.full : 0;
  if (size == DigitSize::huge) return is_lit(c, col / 4, row / 2) ? g.full : 0;
  const bool upper = is_lit(c, col, 2 * row), lower = is_lit(c, col, 2 * row + 1);
  return upper ? (lower ? g.full : g.upper_half) : lower ? g.lower_half : 0;
}

}  // namespace

void draw_columns(const Area& area, std::span<const double> heights, Ink ink) {
  const Glyphs& g = area.glyphs();
  const int top = area.rows() * 8;
  for (size_t i = 0; i < heights.size() && static_cast<int>(i) < area.cols(); ++i) {
    const int col = static_cast<int>(i);
    int eighths = std::clamp(static_cast<int>(std::lround(heights[i] * top)), 0, top);
    if (heights[i] > 0) eighths = std::max(eighths, 1);
    if (eighths == 0) area.set(area.rows() - 1, col, g.rising[1], Style::frame);
    for (int row = area.rows() - 1; eighths > 0; --row, eighths -= 8)
      area.set(row, col, g.rising[static_cast<size_t>(std::min(eighths, 8))], ink);
  }
}

void draw_bar(const Area& area, double share_of_full, Ink ink) {
  const int eighths = static_cast<int>(std::lround(share_of_full * area.cols() * 8));
  for (int col = 0; col * 8 < eighths && col < area.cols(); ++col) {
    const int level = std::min(8, eighths - col * 8);
    area.set(0, col, area.glyphs().filling[static_cast<size_t>(level)], ink);
  }
}

int big_number_cols(std::string_view number, DigitSize size) {
  int pixels = 0;
  while (!number.empty()) pixels += pixels_of(take_code_point(number)) + 1;
  return pixels > 0 ? (pixels - 1) * cols_a_pixel(size) : 0;
}

void draw_big_number(const Area& area, std::string_view number, DigitSize size, Ink ink) {
  int begin = 0;
  while (!number.empty()) {
    const char32_t c = take_code_point(number);
    for (int row = 0; row < digit_rows(size); ++row) {
      for (int col = 0; col < pixels_of(c) * cols_a_pixel(size); ++col) {
        const char32_t glyph = digit_glyph(c, size, row, col, area.glyphs());
        if (glyph != 0) area.set(row, begin + col, glyph, ink);
      }
    }
    begin += (pixels_of(c) + 1) * cols_a_pixel(size);
  }
}

}  // namespace pipetop::tui
