#include "tui/draw/shapes.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace pipetop::tui {
namespace {

// A part of the cell, in eighths of it.
struct BlockShape {
  char32_t glyph;
  int left, top, right, bottom;
  double density = 1;
};
constexpr BlockShape kBlocks[] = {
    {U'▀', 0, 0, 8, 4},       {U'▁', 0, 7, 8, 8}, {U'▂', 0, 6, 8, 8},      {U'▃', 0, 5, 8, 8},
    {U'▄', 0, 4, 8, 8},       {U'▅', 0, 3, 8, 8}, {U'▆', 0, 2, 8, 8},      {U'▇', 0, 1, 8, 8},
    {U'█', 0, 0, 8, 8},       {U'▉', 0, 0, 7, 8}, {U'▊', 0, 0, 6, 8},      {U'▋', 0, 0, 5, 8},
    {U'▌', 0, 0, 4, 8},       {U'▍', 0, 0, 3, 8}, {U'▎', 0, 0, 2, 8},      {U'▏', 0, 0, 1, 8},
    {U'▐', 4, 0, 8, 8},       {U'▔', 0, 0, 8, 1}, {U'░', 0, 0, 8, 8, 0.4}, {U'▒', 0, 0, 8, 8, 0.65},
    {U'▓', 0, 0, 8, 8, 0.85}, {U'■', 1, 2, 7, 6},
};

// Which sides of the cell a line goes to from its middle.
enum Arms : uint8_t { kUp = 1, kDown = 2, kLeft = 4, kRight = 8, kRound = 16 };
struct LineShape {
  char32_t glyph;
  int arms;
};
constexpr LineShape kLines[] = {
    {U'─', kLeft | kRight},
    {U'│', kUp | kDown},
    {U'┌', kDown | kRight},
    {U'┐', kDown | kLeft},
    {U'└', kUp | kRight},
    {U'┘', kUp | kLeft},
    {U'├', kUp | kDown | kRight},
    {U'┤', kUp | kDown | kLeft},
    {U'┬', kDown | kLeft | kRight},
    {U'┴', kUp | kLeft | kRight},
    {U'┼', kUp | kDown | kLeft | kRight},
    {U'╭', kDown | kRight | kRound},
    {U'╮', kDown | kLeft | kRound},
    {U'╯', kUp | kLeft | kRound},
    {U'╰', kUp | kRight | kRound},
};

constexpr char32_t kBraille = 0x2800, kBrailleEnd = 0x2900;
constexpr int kMiddleX = kCellWidth / 2, kMiddleY = kCellHeight / 2;

template <class Table>
const auto* find_shape(const Table& table, char32_t glyph) {
  const auto found = std::ranges::find(table, glyph, [](const auto& row) { return row.glyph; });
  return found == std::end(table) ? nullptr : &*found;
}

Shape block(const BlockShape& b, int x, int y, int cells) {
  const double left = x + b.left * kCellWidth / 8.0, top = y + b.top * kCellHeight / 8.0;
  const double width = (b.right - b.left) * kCellWidth / 8.0 + (cells - 1) * kCellWidth;
  const double height = (b.bottom - b.top) * kCellHeight / 8.0;
  return {Shape::Paint::block,
          fmt::format("M{:g} {:g}h{:g}v{:g}h{:g}z", left, top, width, height, -width), b.density};
}

// A curve for a round corner, else a stroke for each arm; a line goes on over `cells`.
Shape line(int arms, int x, int y, int cells) {
  const int middle_x = x + kMiddleX, middle_y = y + kMiddleY, right = x + cells * kCellWidth;
  if (arms & kRound)
    return {Shape::Paint::line,
            fmt::format("M{} {}Q{} {} {} {}", middle_x, arms & kUp ? y : y + kCellHeight, middle_x,
                        middle_y, arms & kLeft ? x : right, middle_y)};
  std::string path;
  if (arms & (kUp | kDown))
    path += fmt::format("M{} {}V{}", middle_x, arms & kUp ? y : middle_y,
                        arms & kDown ? y + kCellHeight : middle_y);
  if (arms & (kLeft | kRight))
    path += fmt::format("M{} {}H{}", arms & kLeft ? x : middle_x, middle_y,
                        arms & kRight ? right : middle_x);
  return {Shape::Paint::line, std::move(path)};
}

// Unicode numbers the dots of the two columns downwards, but the last row after all others.
Shape braille(uint32_t pattern, int x, int y) {
  constexpr int kColumn[] = {0, 0, 0, 1, 1, 1, 0, 1}, kRow[] = {0, 1, 2, 0, 1, 2, 3, 3};
  Shape shape{Shape::Paint::dots, {}};
  for (int dot = 0; dot < 8; ++dot) {
    if ((pattern >> dot & 1) == 0) continue;
    shape.path += fmt::format("M{} {}h0", x + kCellWidth / 4 + kColumn[dot] * kCellWidth / 2,
                              y + kCellHeight / 8 + kRow[dot] * kCellHeight / 4);
  }
  return shape;
}

std::string circle(int x, int y) {
  constexpr double kRadius = 4.5;
  return fmt::format("M{0:g} {1}a{2:g} {2:g} 0 1 0 {3:g} 0a{2:g} {2:g} 0 1 0 {4:g} 0z",
                     x + kMiddleX - kRadius, y + kMiddleY, kRadius, 2 * kRadius, -2 * kRadius);
}

// Of the marks that many fonts have in another width.
Shape mark(char32_t glyph, int x, int y) {
  const int cx = x + kMiddleX, cy = y + kMiddleY;
  switch (glyph) {
    case U'●':
      return {Shape::Paint::solid, circle(x, y)};
    case U'○':
      return {Shape::Paint::line, circle(x, y)};
    case U'▸':
      return {Shape::Paint::solid, fmt::format("M{} {}l8 5l-8 5z", cx - 4, cy - 5)};
    case U'▾':
      return {Shape::Paint::solid, fmt::format("M{} {}h10l-5 8z", cx - 5, cy - 4)};
    case U'▴':
      return {Shape::Paint::solid, fmt::format("M{} {}h10l-5 -8z", cx - 5, cy + 4)};
    default:
      return {};
  }
}

}  // namespace

Shape shape_of(char32_t glyph, int x, int y, int cells) {
  if (glyph < 0x2000) return {};
  if (glyph > kBraille && glyph < kBrailleEnd) return braille(glyph - kBraille, x, y);
  if (const BlockShape* found = find_shape(kBlocks, glyph)) return block(*found, x, y, cells);
  if (const LineShape* found = find_shape(kLines, glyph)) return line(found->arms, x, y, cells);
  return mark(glyph, x, y);
}

bool joins(char32_t glyph) {
  const BlockShape* block = find_shape(kBlocks, glyph);
  return glyph == U'─' || (block && block->left == 0 && block->right == 8);
}

}  // namespace pipetop::tui
