// What the screen is drawn with: the meaning of a cell, the glyphs that the terminal's font and
// character set can show, and the colours: each meaning has a hue, and each theme has its own
// colour for a hue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/model/settings.h"

namespace pipetop::tui {

// For tables with a row for each value of an enum: the compiler checks their order.
template <class Row, size_t kRows, class Enum>
constexpr bool in_order(const std::array<Row, kRows>& table, Enum Row::*value) {
  for (size_t i = 0; i < kRows; ++i) {
    if (table[i].*value != static_cast<Enum>(i)) return false;
  }
  return true;
}

// The meaning of a cell, not its look.
enum class Style : uint8_t {
  plain,
  dim,     // labels, hints, uncertain values
  value,   // a number that matters
  title,   // the program's and the preset's name
  frame,   // panel borders
  focus,   // the border of the panel with the focus
  key,     // a key that can be pressed
  lit,     // a toggle that is on
  graph,   // the throughput history
  mark,    // a change in the history
  writer,  // the two roles ...
  reader,  // ... wherever they appear
  copy,    // the kinds of ring slots
  user_page,
  page_cache,
  zero_page,
  other_page,
  heat_1,  // the shades of a heat map, from few to most
  heat_2,
  heat_3,
  heat_4,
  good,
  warning,
  error,
};
inline constexpr int kStyles = static_cast<int>(Style::error) + 1;

constexpr Style style_of(Role role) { return role == Role::writer ? Style::writer : Style::reader; }

enum Emphasis : uint8_t { kNone = 0, kBold = 1, kReverse = 2 };

struct Ink {
  Style style = Style::plain;
  uint8_t emphasis = kNone;

  constexpr Ink() = default;
  constexpr Ink(Style s, uint8_t e = kNone) : style(s), emphasis(e) {}
  bool operator==(const Ink&) const = default;
};

enum class GlyphSet : uint8_t {
  unicode,
  console,  // the Linux console: UTF-8, but a font without braille and eighths
  ascii,
};

// The characters for charts.
struct Glyphs {
  GlyphSet set;
  bool braille;
  char32_t top_left, top_right, bottom_left, bottom_right, horizontal, vertical;
  std::array<char32_t, 9> rising;   // a column filled from below, in eighths
  std::array<char32_t, 9> filling;  // a bar filled from the left, in eighths
  char32_t upper_half, lower_half, full;
  std::array<char32_t, 5> shade;  // of a heat map, from nothing to dense
  char32_t under_huge;            // drawn below slots that lie in huge pages
  char32_t closed, opened;        // a row of a tree
  char32_t branch, last_branch;   // from a row to its caller

  // What this set shows for a character of text.
  char32_t fold(char32_t c) const;
};

const Glyphs& glyphs_of(GlyphSet set);

struct Rgb {
  uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb&) const = default;
};

// All of them are distinguishable for colour-blind people.
enum class Theme : uint8_t {
  dark,
  light,          // for bright rooms, where a projector's black is grey
  high_contrast,  // 7 to 1 and more, on black
};
inline constexpr int kThemes = static_cast<int>(Theme::high_contrast) + 1;

std::string_view theme_name(Theme theme);  // "high-contrast"

inline constexpr int kDefaultColor = -1;  // the terminal's own

struct Color {
  Rgb rgb;
  int eight = kDefaultColor;  // its number in terminals with eight colours
};

Color background_of(Theme theme);
Color color_of(Theme theme, Style style);

// In every depth.
bool is_bold(Style style);
// Where no grey of its own is dim enough: below 256 colours.
bool is_dim(Style style);

enum class ColorDepth : uint8_t { none, eight, palette, rgb };  // palette: of 256

// Whether the terminal's own text colour does for it, on the terminal's own background.
bool is_text(Style style, ColorDepth depth);

// The nearest of the palette of 256. Never one of the first 16, which users change.
int palette_number(Rgb color);
Rgb palette_color(int number);  // 16 to 255

// Relative luminance and contrast, 1 to 21, as the Web Content Accessibility Guidelines have them.
double luminance(Rgb color);
double contrast(Rgb a, Rgb b);

// For which background the text colours are made.
inline Theme theme_for(Rgb background) {
  return contrast(background, {}) > contrast(background, {255, 255, 255}) ? Theme::light
                                                                          : Theme::dark;
}

// From COLORFGBG, "15;0"; nothing if it does not tell.
std::optional<Theme> theme_from(const char* colorfgbg);

}  // namespace pipetop::tui
