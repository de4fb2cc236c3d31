// Characters that are drawn rather than written: fonts leave gaps between them, or lack them.
#pragma once

#include <cstdint>
#include <string>

namespace pipetop::tui {

// A cell's size, in the picture's units: eighths of both are whole or half units.
inline constexpr int kCellWidth = 12, kCellHeight = 24;

struct Shape {
  enum class Paint : uint8_t {
    none,   // it is text
    block,  // `path` is filled; shaded by `density`
    solid,  // the same, but with smooth edges
    line,   // `path` is stroked
    dots,   // each of its points is a dot
  } paint = Paint::none;
  std::string path;    // SVG path data
  double density = 1;  // of `block`
};

// In the cell with this upper left corner. A block is `cells` wide, see joins().
Shape shape_of(char32_t glyph, int x, int y, int cells = 1);

// Whether it continues into the next cell if that has the same glyph: together they have no seam.
bool joins(char32_t glyph);

}  // namespace pipetop::tui
