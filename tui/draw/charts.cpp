#include "tui/draw/charts.h"

#include <algorithm>
#include <array>
#include <cmath>

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

bool is_digit(char c) { return c >= '0' && c <= '9'; }
const Bitmap& bitmap_of(char c) {
  return is_digit(c) ? kDigits[static_cast<size_t>(c - '0')] : kPoint;
}
int pixels_of(char c) { return is_digit(c) ? 3 : 1; }
int cols_a_pixel(DigitSize size) { return size == DigitSize::half ? 1 : 2; }

void draw_half(const Area& area, int col, const Bitmap& map, int pixel_cols, Ink ink) {
  const Glyphs& g = area.glyphs();
  for (int row = 0; row < digit_rows(DigitSize::half); ++row) {
    for (int x = 0; x < pixel_cols; ++x) {
      const auto lit = [&](int y) {
        return y < kPixelRows && ((map[static_cast<size_t>(y)] >> (pixel_cols - 1 - x)) & 1) != 0;
      };
      const bool upper = lit(2 * row), lower = lit(2 * row + 1);
      if (!upper && !lower) continue;
      area.set(row, col + x, upper ? (lower ? g.full : g.upper_half) : g.lower_half, ink);
    }
  }
}

void draw_full(const Area& area, int col, const Bitmap& map, int pixel_cols, Ink ink) {
  for (int y = 0; y < kPixelRows; ++y) {
    for (int x = 0; x < pixel_cols * 2; ++x) {
      if ((map[static_cast<size_t>(y)] >> (pixel_cols - 1 - x / 2)) & 1)
        area.set(y, col + x, area.glyphs().full, ink);
    }
  }
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
  for (const char c : number) pixels += pixels_of(c) + 1;
  return pixels > 0 ? (pixels - 1) * cols_a_pixel(size) : 0;
}

void draw_big_number(const Area& area, std::string_view number, DigitSize size, Ink ink) {
  const auto draw = size == DigitSize::half ? draw_half : draw_full;
  int col = 0;
  for (const char c : number) {
    draw(area, col, bitmap_of(c), pixels_of(c), ink);
    col += (pixels_of(c) + 1) * cols_a_pixel(size);
  }
}

}  // namespace pipetop::tui
