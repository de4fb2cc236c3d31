#include "tui/draw/theme.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include "tui/draw/enum_table.h"

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

}  // namespace

Appearance appearance_of(Style style, ColorDepth depth, Background background) {
  const Entry& e = kEntries[static_cast<size_t>(style)];
  const int full = background == Background::dark ? e.dark : e.light;
  switch (depth) {
    case ColorDepth::full:
      // Its own grey is dim enough.
      return {full, e.bold, false};
    case ColorDepth::eight:
      return {e.eight, e.bold, e.dim};
    case ColorDepth::none:
      break;
  }
  return {kDefaultColor, e.bold, e.dim};
}

Background background_from(const char* colorfgbg) {
  const char* last = colorfgbg ? std::strrchr(colorfgbg, ';') : nullptr;
  if (!last) return Background::dark;
  const int color = std::atoi(last + 1);
  return color == 7 || color == 15 ? Background::light : Background::dark;
}

}  // namespace pipetop::tui
