#include "tui/draw/style.h"

#include <algorithm>
#include <span>

namespace pipetop::tui {
namespace {

struct Substitute {
  char32_t from, to;
};

constexpr Glyphs kUnicode = {
    .set = GlyphSet::unicode,
    .braille = true,
    .top_left = U'╭',
    .top_right = U'╮',
    .bottom_left = U'╰',
    .bottom_right = U'╯',
    .horizontal = U'─',
    .vertical = U'│',
    .rising = {U' ', U'▁', U'▂', U'▃', U'▄', U'▅', U'▆', U'▇', U'█'},
    .filling = {U' ', U'▏', U'▎', U'▍', U'▌', U'▋', U'▊', U'▉', U'█'},
    .upper_half = U'▀',
    .lower_half = U'▄',
    .full = U'█',
    .shade = {U' ', U'░', U'▒', U'▓', U'█'},
    .under_huge = U'▔',
    .closed = U'▸',
    .opened = U'▾',
    .branch = U'├',
    .last_branch = U'└',
};

constexpr Glyphs kConsole = [] {
  Glyphs g = kUnicode;
  g.set = GlyphSet::console;
  g.braille = false;
  g.top_left = U'┌', g.top_right = U'┐', g.bottom_left = U'└', g.bottom_right = U'┘';
  g.rising = {U' ', U'_', U'_', U'▄', U'▄', U'▄', U'▄', U'█', U'█'};
  g.filling = {U' ', U'▌', U'▌', U'▌', U'▌', U'▌', U'█', U'█', U'█'};
  g.under_huge = U'=';
  g.closed = U'+', g.opened = U'-';
  return g;
}();

constexpr Glyphs kAscii = [] {
  Glyphs g = kConsole;
  g.set = GlyphSet::ascii;
  g.top_left = g.top_right = g.bottom_left = g.bottom_right = U'+';
  g.horizontal = U'-', g.vertical = U'|';
  g.rising = {U' ', U'_', U'_', U'.', U'.', U':', U':', U'|', U'#'};
  g.filling = {U' ', U'-', U'-', U'-', U'-', U'=', U'=', U'=', U'#'};
  g.upper_half = U'"', g.lower_half = U'_', g.full = U'#';
  g.shade = {U' ', U'.', U':', U'%', U'#'};
  g.branch = U'|', g.last_branch = U'`';
  return g;
}();

constexpr Substitute kConsoleFolds[] = {{U'●', U'■'}, {U'○', U'·'}, {U'…', U'~'},
                                        {U'→', U'>'}, {U'←', U'<'}, {U'▔', U'='},
                                        {U'▾', U'v'}, {U'▴', U'^'}, {U'×', U'x'}};

constexpr Substitute kAsciiFolds[] = {
    {U'●', U'*'}, {U'○', U'-'}, {U'…', U'~'}, {U'→', U'>'}, {U'←', U'<'}, {U'Δ', U'd'},
    {U'·', U'|'}, {U'×', U'x'}, {U'±', U'~'}, {U'▔', U'='}, {U'▾', U'v'}, {U'▴', U'^'},
    {U'─', U'-'}, {U'│', U'|'}, {U'█', U'#'}, {U'▓', U'%'}, {U'▒', U'c'}, {U'░', U'0'},
    {U'—', U'-'}, {U'µ', U'u'}, {U'≤', U'<'}};

char32_t folded(char32_t c, std::span<const Substitute> folds, char32_t otherwise) {
  const auto found = std::ranges::find(folds, c, &Substitute::from);
  return found == folds.end() ? otherwise : found->to;
}

}  // namespace

char32_t Glyphs::fold(char32_t c) const {
  if (c < 0x80 || set == GlyphSet::unicode) return c;
  if (set == GlyphSet::console) return folded(c, kConsoleFolds, c);
  return folded(c, kAsciiFolds, U'?');
}

const Glyphs& glyphs_of(GlyphSet set) {
  if (set == GlyphSet::console) return kConsole;
  return set == GlyphSet::ascii ? kAscii : kUnicode;
}

}  // namespace pipetop::tui
