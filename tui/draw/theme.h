// How each style looks in 256 colours, in 8, and in none.
#pragma once

#include <cstdint>

#include "tui/draw/style.h"

namespace pipetop::tui {

enum class ColorDepth : uint8_t { none, eight, full };
enum class Background : uint8_t { dark, light };

inline constexpr int kDefaultColor = -1;  // the terminal's own

struct Appearance {
  int color = kDefaultColor;  // number in the terminal's palette
  bool bold = false;
  bool dim = false;
};

Appearance appearance_of(Style style, ColorDepth depth, Background background);

// From COLORFGBG, else dark; the colours are readable on both.
Background background_from(const char* colorfgbg);

}  // namespace pipetop::tui
