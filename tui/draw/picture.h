// A canvas as a picture, for files.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tui/draw/canvas.h"
#include "tui/draw/themes.h"

namespace pipetop::tui {

struct PictureStyle {
  Theme theme = Theme::dark;
  bool colors = true;  // else only the shades of text
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

// As Canvas::text().
std::string text_picture(const Canvas& canvas, const PictureStyle& style);

// With escape sequences for any terminal with 256 or all colours. Without them, and without
// trailing blanks, it is Canvas::text().
std::string ansi_picture(const Canvas& canvas, const PictureStyle& style);
std::string ansi256_picture(const Canvas& canvas, const PictureStyle& style);

struct PictureFormat {
  std::string_view name;    // "svg"
  std::string_view ending;  // of a file's name, ".svg"; "" if none means it
  std::string (*draw)(const Canvas& canvas, const PictureStyle& style);
};
std::span<const PictureFormat> picture_formats();

}  // namespace pipetop::tui
