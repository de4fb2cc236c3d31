#include "tui/draw/ansi.h"

#include <fmt/core.h>

#include <utility>

#include "tui/draw/text.h"

namespace pipetop::tui {

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
