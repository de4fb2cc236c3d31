#include <fmt/core.h>

#include <optional>

#include "tui/draw/picture.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

enum class AnsiColors : uint8_t { palette, rgb };

std::string color_code(int layer, Rgb color, AnsiColors colors) {
  if (colors == AnsiColors::palette) return fmt::format("{};5;{}", layer, palette_number(color));
  return fmt::format("{};2;{};{};{}", layer, color.r, color.g, color.b);
}

std::string sequence_of(const CellColors& tint, AnsiColors colors) {
  return fmt::format("\033[0;{}{};{}m", tint.bold ? "1;" : "", color_code(38, tint.fore, colors),
                     color_code(48, tint.back, colors));
}

// Every line is painted to its end, because the terminal's background may be another.
std::string ansi_text(const Canvas& canvas, const PictureStyle& style, AnsiColors colors) {
  std::string text;
  for (int row = 0; row < canvas.rows(); ++row) {
    std::optional<CellColors> last;
    for (int col = 0; col < canvas.cols(); ++col) {
      const Cell& cell = canvas.at(row, col);
      if (cell.glyph == 0) continue;
      const CellColors tint = colors_of(cell.ink, style);
      if (tint != last) text += sequence_of(tint, colors);
      last = tint;
      append_utf8(text, cell.glyph);
    }
    text += "\033[0m\n";
  }
  return text;
}

}  // namespace

std::string ansi_picture(const Canvas& canvas, const PictureStyle& style) {
  return ansi_text(canvas, style, AnsiColors::rgb);
}

std::string ansi256_picture(const Canvas& canvas, const PictureStyle& style) {
  return ansi_text(canvas, style, AnsiColors::palette);
}

}  // namespace pipetop::tui
