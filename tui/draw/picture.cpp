#include "tui/draw/picture.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr PictureFormat kPictureFormats[] = {
    {"text", ".txt", text_picture},
    {"svg", ".svg", svg_picture},
    {"ansi", ".ans", ansi_picture},
    {"ansi256", "", ansi256_picture},
};

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

std::span<const PictureFormat> picture_formats() { return kPictureFormats; }

CellColors colors_of(Ink ink, const PictureStyle& style) {
  // Without colours there are still greys.
  const Style shown = style.colors || is_dim(ink.style) ? ink.style : Style::plain;
  CellColors tint{color_of(style.theme, shown).rgb, background_of(style.theme).rgb,
                  is_bold(ink.style) || (ink.emphasis & kBold) != 0};
  if (ink.emphasis & kReverse) std::swap(tint.fore, tint.back);
  return tint;
}

std::string text_picture(const Canvas& canvas, const PictureStyle&) { return canvas.text(); }

std::string ansi_picture(const Canvas& canvas, const PictureStyle& style) {
  return ansi_text(canvas, style, AnsiColors::rgb);
}

std::string ansi256_picture(const Canvas& canvas, const PictureStyle& style) {
  return ansi_text(canvas, style, AnsiColors::palette);
}

AnsiScreen::AnsiScreen(Theme theme) {
  for (int i = 0; i < kStyles; ++i) {
    const auto style = static_cast<Style>(i);
    numbers_[static_cast<size_t>(i)] = is_text(style, ColorDepth::palette)
                                           ? kDefaultColor
                                           : palette_number(color_of(theme, style).rgb);
  }
}

std::string AnsiScreen::update(const Canvas& canvas) {
  if (canvas.rows() != rows_ || canvas.cols() != cols_) {
    rows_ = canvas.rows();
    cols_ = canvas.cols();
    shown_.assign(static_cast<size_t>(rows_) * static_cast<size_t>(cols_), {});
    out_ += "\x1b[0m\x1b[2J\x1b[?25l";
    ink_known_ = false;
  }
  for (int row = 0; row < rows_; ++row) put_row(canvas, row);
  return std::exchange(out_, {});
}

void AnsiScreen::put_row(const Canvas& canvas, int row) {
  const Cell* now = canvas.row(row);
  Cell* before = shown_.data() + static_cast<size_t>(row) * static_cast<size_t>(cols_);
  bool here = false;  // whether the cursor is at this cell
  for (int col = 0; col < cols_; ++col) {
    const Cell& cell = now[col];
    // The right half of a wide character comes with its left one.
    const bool half_changed =
        col + 1 < cols_ && now[col + 1].glyph == 0 && now[col + 1] != before[col + 1];
    if (cell.glyph == 0) {
      before[col] = cell;
      continue;
    }
    if (cell == before[col] && !half_changed) {
      here = false;
      continue;
    }
    if (!here) out_ += fmt::format("\x1b[{};{}H", row + 1, col + 1);
    use(cell.ink);
    append_utf8(out_, cell.glyph);
    before[col] = cell;
    here = true;
  }
}

void AnsiScreen::use(Ink ink) {
  if (ink_known_ && ink == ink_) return;
  ink_known_ = true;
  ink_ = ink;
  const int number = numbers_[static_cast<size_t>(ink.style)];
  out_ += "\x1b[0";
  if (is_bold(ink.style) || (ink.emphasis & kBold)) out_ += ";1";
  if (ink.emphasis & kReverse) out_ += ";7";
  if (number != kDefaultColor) out_ += fmt::format(";38;5;{}", number);
  out_ += 'm';
}

}  // namespace pipetop::tui
