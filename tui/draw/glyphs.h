// The characters for charts, depending on what the terminal's font and character
// set can show.
#pragma once

#include <array>
#include <cstdint>

namespace pipetop::tui {

enum class GlyphSet : uint8_t {
  unicode,
  console,  // the Linux console: UTF-8, but a font without braille and eighths
  ascii,
};

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
