// The colours of the screen: each meaning has a hue, and each theme has its own colour for a hue.
#pragma once

#include <optional>
#include <string_view>

#include "tui/draw/style.h"

namespace pipetop::tui {

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
