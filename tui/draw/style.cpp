#include "tui/draw/style.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
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

enum class Hue : uint8_t {
  text,
  dim,
  frame,
  focus,
  green,
  yellow,
  orange,
  blue,
  red,
  purple,
  heat_1,  // of increasing contrast to the background
  heat_2,
  heat_3,
  heat_4,
};
constexpr size_t kHues = static_cast<size_t>(Hue::heat_4) + 1;

struct StyleRow {
  Style style;
  Hue hue;
  bool bold = false, dim = false;
};

// Colour is never the only indication: there is always a word, a glyph or a place, too.
constexpr std::array<StyleRow, kStyles> kStyleRows = {{
    {Style::plain, Hue::text},
    {Style::dim, Hue::dim, false, true},
    {Style::value, Hue::text, true},
    {Style::title, Hue::text, true},
    {Style::frame, Hue::frame, false, true},
    {Style::focus, Hue::focus, true},
    {Style::key, Hue::yellow, true},
    {Style::lit, Hue::green, true},
    {Style::graph, Hue::green},
    {Style::mark, Hue::yellow, true},
    {Style::writer, Hue::orange},
    {Style::reader, Hue::blue},
    {Style::copy, Hue::red},
    {Style::user_page, Hue::green},
    {Style::page_cache, Hue::blue},
    {Style::zero_page, Hue::purple},
    {Style::other_page, Hue::yellow},
    {Style::heat_1, Hue::heat_1},
    {Style::heat_2, Hue::heat_2},
    {Style::heat_3, Hue::heat_3},
    {Style::heat_4, Hue::heat_4},
    {Style::good, Hue::green, true},
    {Style::warning, Hue::orange, true},
    {Style::error, Hue::red, true},
}};
static_assert(in_order(kStyleRows, &StyleRow::style));

struct ThemeRow {
  Theme theme;
  std::string_view name;
  Color background;
  std::array<Color, kHues> colors;  // by Hue
};

// The hues of Okabe and Ito, moved until people without red, green or blue cones distinguish them
// on this background. themes_test.cpp computes the distances that they see, and the contrasts.
constexpr std::array<ThemeRow, kThemes> kThemeRows = {{
    {Theme::dark,
     "dark",
     {{0x10, 0x14, 0x18}, 0},
     {{{{0xe4, 0xe4, 0xe4}, 7},
       {{0x96, 0x96, 0x96}, 7},
       {{0x6c, 0x6c, 0x6c}, 7},
       {{0xd0, 0xd0, 0xd0}, 7},
       {{0x7a, 0xff, 0xa9}, 2},
       {{0xfa, 0xcf, 0x00}, 3},
       {{0xff, 0xb0, 0x00}, 3},
       {{0x2b, 0x8c, 0xf5}, 6},
       {{0xe8, 0x60, 0x2c}, 1},
       {{0xc0, 0x7f, 0xc0}, 5},
       {{0x2f, 0x6b, 0xb5}, 4},
       {{0x2a, 0x9a, 0xa8}, 6},
       {{0x86, 0xc8, 0x5c}, 2},
       {{0xff, 0xf6, 0xb0}, 3}}}},
    {Theme::light,
     "light",
     {{0xff, 0xff, 0xff}, 7},
     {{{{0x1c, 0x1c, 0x1c}, 0},
       {{0x66, 0x66, 0x66}, 0},
       {{0x9e, 0x9e, 0x9e}, 0},
       {{0x30, 0x30, 0x30}, 0},
       {{0x24, 0x81, 0x4b}, 2},
       {{0x87, 0x6b, 0x11}, 4},
       {{0xb1, 0x61, 0x0f}, 5},
       {{0x00, 0x52, 0xe0}, 4},
       {{0x87, 0x0c, 0x00}, 1},
       {{0x52, 0x28, 0x5a}, 5},
       {{0x56, 0x97, 0xd6}, 6},
       {{0x1f, 0x6f, 0xb0}, 4},
       {{0x0b, 0x4a, 0x80}, 5},
       {{0x00, 0x1a, 0x50}, 0}}}},
    {Theme::high_contrast,
     "high-contrast",
     {{0x00, 0x00, 0x00}, 0},
     {{{{0xff, 0xff, 0xff}, 7},
       {{0xc6, 0xc6, 0xc6}, 7},
       {{0x94, 0x94, 0x94}, 7},
       {{0xee, 0xee, 0xee}, 7},
       {{0x8a, 0xff, 0xb0}, 2},
       {{0xff, 0xe6, 0x00}, 3},
       {{0xff, 0xb8, 0x00}, 3},
       {{0x4d, 0xa6, 0xff}, 6},
       {{0xee, 0x7a, 0x4a}, 1},
       {{0xe0, 0xa0, 0xe0}, 5},
       {{0x3f, 0x7f, 0xd8}, 4},
       {{0x34, 0xb4, 0xb4}, 6},
       {{0x9a, 0xdc, 0x64}, 2},
       {{0xff, 0xfb, 0xd0}, 3}}}},
}};
static_assert(in_order(kThemeRows, &ThemeRow::theme));

const StyleRow& style_row(Style style) { return kStyleRows[static_cast<size_t>(style)]; }
const ThemeRow& theme_row(Theme theme) { return kThemeRows[static_cast<size_t>(theme)]; }

// The palette: 16 colours of the user's, a cube of six levels for each channel, 24 greys.
constexpr int kCube = 16, kGreys = 232, kPalette = 256;
constexpr std::array<uint8_t, 6> kLevels = {0, 95, 135, 175, 215, 255};

int distance(Rgb a, Rgb b) {
  const auto squared = [](int d) { return d * d; };
  return squared(a.r - b.r) + squared(a.g - b.g) + squared(a.b - b.b);
}

// The standard's, of sRGB.
double linear(uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
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

std::string_view theme_name(Theme theme) { return theme_row(theme).name; }

Color background_of(Theme theme) { return theme_row(theme).background; }

Color color_of(Theme theme, Style style) {
  return theme_row(theme).colors[static_cast<size_t>(style_row(style).hue)];
}

bool is_bold(Style style) { return style_row(style).bold; }
bool is_dim(Style style) { return style_row(style).dim; }

bool is_text(Style style, ColorDepth depth) {
  const Hue hue = style_row(style).hue;
  return hue == Hue::text || (depth == ColorDepth::eight && hue <= Hue::focus);
}

Rgb palette_color(int number) {
  if (number >= kGreys) {
    const auto grey = static_cast<uint8_t>(8 + 10 * (number - kGreys));
    return {grey, grey, grey};
  }
  const auto level = [](int i) { return kLevels[static_cast<size_t>(i % 6)]; };
  const int cell = number - kCube;
  return {level(cell / 36), level(cell / 6), level(cell)};
}

int palette_number(Rgb color) {
  int nearest = kCube;
  for (int number = kCube; number < kPalette; ++number) {
    if (distance(palette_color(number), color) < distance(palette_color(nearest), color))
      nearest = number;
  }
  return nearest;
}

double luminance(Rgb color) {
  return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
}

double contrast(Rgb a, Rgb b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

std::optional<Theme> theme_from(const char* colorfgbg) {
  const char* last = colorfgbg ? std::strrchr(colorfgbg, ';') : nullptr;
  if (!last || last[1] < '0' || last[1] > '9') return {};
  const int color = std::atoi(last + 1);
  return color == 7 || color == 15 ? Theme::light : Theme::dark;
}

}  // namespace pipetop::tui
