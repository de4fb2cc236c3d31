#include "tui/draw/look.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

namespace pipetop::tui {
namespace {

struct Entry {
  Style style;
  int dark, light;  // of 256
  int eight;        // of 8
  bool bold, dim;   // in every depth
};

constexpr int kNo = kDefaultColor;

// The hues of Okabe and Ito, which colour-blind people can distinguish; brighter on
// a dark background, darker on a light one. Colour is never the only indication:
// there is always a word, a glyph or a place, too.
constexpr std::array<Entry, kStyles> kEntries = {{
    {Style::plain, kNo, kNo, kNo, false, false},   {Style::dim, 246, 242, kNo, false, true},
    {Style::value, kNo, kNo, kNo, true, false},    {Style::title, kNo, kNo, kNo, true, false},
    {Style::frame, 242, 247, kNo, false, true},    {Style::focus, 252, 236, kNo, true, false},
    {Style::key, 220, 94, 3, true, false},         {Style::lit, 79, 29, 2, true, false},
    {Style::graph, 79, 29, 2, false, false},       {Style::mark, 220, 94, 3, true, false},
    {Style::writer, 214, 166, 3, false, false},    {Style::reader, 75, 25, 6, false, false},
    {Style::copy, 203, 160, 1, false, false},      {Style::user_page, 79, 29, 2, false, false},
    {Style::page_cache, 75, 25, 4, false, false},  {Style::zero_page, 175, 132, 5, false, false},
    {Style::other_page, 228, 94, 3, false, false}, {Style::heat_1, 25, 117, 4, false, false},
    {Style::heat_2, 37, 31, 6, false, false},      {Style::heat_3, 114, 25, 2, false, false},
    {Style::heat_4, 228, 17, 3, false, false},     {Style::good, 79, 29, 2, true, false},
    {Style::warning, 214, 130, 3, true, false},    {Style::error, 203, 160, 1, true, false},
}};

static_assert(in_order(kEntries, &Entry::style));

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

Appearance appearance_of(Style style, ColorDepth depth, Background background) {
  const Entry& e = kEntries[static_cast<size_t>(style)];
  // Its own grey is dim enough.
  if (depth == ColorDepth::full)
    return {background == Background::dark ? e.dark : e.light, e.bold, false};
  return {depth == ColorDepth::eight ? e.eight : kDefaultColor, e.bold, e.dim};
}

Background background_from(const char* colorfgbg) {
  const char* last = colorfgbg ? std::strrchr(colorfgbg, ';') : nullptr;
  if (!last) return Background::dark;
  const int color = std::atoi(last + 1);
  return color == 7 || color == 15 ? Background::light : Background::dark;
}

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
