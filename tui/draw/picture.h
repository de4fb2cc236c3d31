// A canvas as a picture, for files.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/draw/canvas.h"
#include "tui/draw/style.h"

namespace pipetop::tui {

struct PictureStyle {
  Theme theme = Theme::dark;
  bool colors = true;   // else only the shades of text
  bool framed = false;  // of an SVG: with a window's title bar
};

// How a cell is painted.
struct CellColors {
  Rgb fore, back;
  bool bold = false;
  bool operator==(const CellColors&) const = default;
};
CellColors colors_of(Ink ink, const PictureStyle& style);

// Self-contained. Every cell is where the grid has it, whatever the viewer's font: text is fitted
// to its columns; blocks, lines and dots are drawn as shapes.
std::string svg_picture(const Canvas& canvas, const PictureStyle& style);

// Of several frames, all of one size: one after the other, for three seconds each, without end.
std::string svg_film(std::span<const Canvas> frames, const PictureStyle& style);

// As Canvas::text().
std::string text_picture(const Canvas& canvas, const PictureStyle& style);

// With escape sequences for a terminal with all colours. Without them, and without trailing blanks,
// it is Canvas::text().
std::string ansi_picture(const Canvas& canvas, const PictureStyle& style);

struct PictureFormat {
  std::string_view name;    // "svg"
  std::string_view ending;  // of a file's name, ".svg"
  std::string (*draw)(const Canvas& canvas, const PictureStyle& style);
};
std::span<const PictureFormat> picture_formats();

// A cell's size, in the picture's units: eighths of both are whole or half units.
inline constexpr int kCellWidth = 12, kCellHeight = 24;

// A character that is drawn rather than written: fonts leave gaps between them, or lack them.
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
