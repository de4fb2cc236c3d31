// What the screen is drawn with: the meaning of a cell, and the glyphs that the terminal's font and
// character set can show. For the colours see themes.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

}  // namespace pipetop::tui
