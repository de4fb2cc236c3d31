// The meaning of a cell, not its look: the theme gives each style its colour.
#pragma once

#include <cstdint>

#include "engine/model/settings.h"

namespace pipetop::tui {

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

}  // namespace pipetop::tui
