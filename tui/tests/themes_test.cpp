// The themes' colours, as people see them: contrast, and how far apart colours are that tell
// things from each other, also for those who lack one kind of cones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/config/config.h"
#include "tui/draw/style.h"

namespace pipetop::tui {
namespace {

using Vec = std::array<double, 3>;
using Matrix = std::array<Vec, 3>;

constexpr Theme kAllThemes[] = {Theme::dark, Theme::light, Theme::high_contrast};

bool is_heat(Style style) { return style >= Style::heat_1 && style <= Style::heat_4; }

std::vector<Style> every_style() {
  std::vector<Style> styles;
  for (int i = 0; i < kStyles; ++i) styles.push_back(static_cast<Style>(i));
  return styles;
}

Vec times(const Matrix& m, const Vec& v) {
  Vec product{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) product[i] += m[i][j] * v[j];
  return product;
}

// Linear light of sRGB.
Vec linear_of(Rgb c) {
  const auto channel = [](uint8_t value) {
    const double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return {channel(c.r), channel(c.g), channel(c.b)};
}

// CIE L*a*b* with white D65.
Vec lab_of(const Vec& linear) {
  constexpr Matrix kXyz = {{{0.4124564, 0.3575761, 0.1804375},
                            {0.2126729, 0.7151522, 0.0721750},
                            {0.0193339, 0.1191920, 0.9503041}}};
  const auto f = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const Vec xyz = times(kXyz, linear);
  const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// Machado, Oliveira, Fernandes (2009), severity 1: what remains without one kind of cones.
struct Vision {
  const char* name;
  Matrix seen;
};
const Vision kVisions[] = {
    {"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868},
       {0.114503, 0.786281, 0.099216},
       {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968},
       {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779},
       {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}}},
};

// CIE 1976: 2 is just noticeable.
double seen_distance(Rgb a, Rgb b, const Vision& vision) {
  const auto lab = [&](Rgb c) {
    Vec seen = times(vision.seen, linear_of(c));
    for (double& channel : seen) channel = std::clamp(channel, 0.0, 1.0);
    return lab_of(seen);
  };
  const Vec p = lab(a), q = lab(b);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

void expect_apart(Theme theme, Style a, Style b, double in_rgb, double in_palette) {
  const Rgb p = color_of(theme, a).rgb, q = color_of(theme, b).rgb;
  for (const Vision& vision : kVisions) {
    SCOPED_TRACE(testing::Message() << theme_name(theme) << ": styles " << int(a) << " and "
                                    << int(b) << ", " << vision.name);
    EXPECT_GE(seen_distance(p, q, vision), in_rgb);
    EXPECT_GE(
        seen_distance(palette_color(palette_number(p)), palette_color(palette_number(q)), vision),
        in_palette);
  }
}

TEST(Themes, HaveTheNamesOfTheConfig) {
  const auto names = theme_names();
  ASSERT_EQ(names.size(), size_t(kThemes) + 1);
  EXPECT_EQ(names.front(), "auto");
  for (const Theme theme : kAllThemes)
    EXPECT_EQ(theme_name(theme), names[static_cast<size_t>(theme) + 1]);
}

// A style that somebody adds without a colour would be black.
TEST(Themes, EveryStyleHasAColorInEveryTheme) {
  for (const Theme theme : kAllThemes) {
    for (const Style style : every_style()) {
      const Color color = color_of(theme, style);
      EXPECT_NE(color.rgb, Rgb{}) << theme_name(theme) << " " << int(style);
      EXPECT_GE(color.eight, 0);
      EXPECT_LT(color.eight, 8);
      EXPECT_NE(color.eight, background_of(theme).eight) << theme_name(theme) << " " << int(style);
    }
  }
}

// WCAG 2: 4.5 for text, 7 for its highest grade, 3 for graphics. Frames are decoration.
TEST(Themes, TextIsReadable) {
  for (const Theme theme : kAllThemes) {
    const double text = theme == Theme::high_contrast ? 7 : 4.5;
    const Rgb back = background_of(theme).rgb;
    for (const Style style : every_style()) {
      SCOPED_TRACE(testing::Message() << theme_name(theme) << " " << int(style));
      const Rgb color = color_of(theme, style).rgb;
      const double least = style == Style::frame ? 2.5 : is_heat(style) ? 3 : text;
      EXPECT_GE(contrast(color, back), least);
      const Rgb near = palette_color(palette_number(color)),
                near_back = palette_color(palette_number(back));
      EXPECT_GE(contrast(near, near_back), is_heat(style) ? 2.5 : std::min(least, 4.5));
    }
  }
}

// On the terminal's own background, which may be any dark or light one.
TEST(Themes, TextIsReadableOnTheTerminalsOwnBackground) {
  for (const auto& [theme, backs] : {std::pair{Theme::dark, std::vector<Rgb>{{}, {30, 30, 46}}},
                                     {Theme::light, {{255, 255, 255}, {253, 246, 227}}}})
    for (const Rgb back : backs)
      for (const Style style : every_style())
        if (style != Style::frame && !is_heat(style)) {
          EXPECT_GE(contrast(color_of(theme, style).rgb, back), 4) << int(style);
        }
}

TEST(Themes, ColourBlindPeopleTellThemApart) {
  // Kinds of slots; roles; grades; the history and its marks; keys and what is on.
  const std::vector<Style> groups[] = {
      {Style::copy, Style::user_page, Style::page_cache, Style::zero_page, Style::other_page},
      {Style::writer, Style::reader},
      {Style::good, Style::warning, Style::error},
      {Style::graph, Style::mark},
      {Style::key, Style::lit},
      {Style::plain, Style::good},
      {Style::plain, Style::error},
      {Style::plain, Style::warning},
  };
  for (const Theme theme : kAllThemes)
    for (const auto& group : groups)
      for (size_t i = 0; i < group.size(); ++i)
        for (size_t j = 0; j < i; ++j) expect_apart(theme, group[i], group[j], 17, 14);
}

// Shades of one scale are next to each other, and their lightness tells them apart.
TEST(Themes, HeatGrowsWithItsContrast) {
  for (const Theme theme : kAllThemes) {
    const Rgb back = background_of(theme).rgb;
    for (int i = static_cast<int>(Style::heat_1); i < static_cast<int>(Style::heat_4); ++i) {
      const auto less = static_cast<Style>(i), more = static_cast<Style>(i + 1);
      EXPECT_LT(contrast(color_of(theme, less).rgb, back),
                contrast(color_of(theme, more).rgb, back));
      expect_apart(theme, less, more, 12, 5);
    }
  }
}

// Where the palette is changed to show them exactly, each needs an entry of its own.
TEST(Themes, DifferentColorsHaveDifferentNumbersInThePalette) {
  for (const Theme theme : kAllThemes) {
    std::set<std::tuple<int, int, int>> colors;
    std::set<int> numbers;
    const auto add = [&](Rgb c) {
      colors.insert({c.r, c.g, c.b});
      numbers.insert(palette_number(c));
    };
    add(background_of(theme).rgb);
    for (const Style style : every_style()) add(color_of(theme, style).rgb);
    EXPECT_EQ(numbers.size(), colors.size()) << theme_name(theme);
    EXPECT_GE(*numbers.begin(), 16) << "the user's own colours";
  }
}

TEST(Themes, ThePaletteIsTheUsualOne) {
  EXPECT_EQ(palette_color(79), (Rgb{95, 215, 175}));
  EXPECT_EQ(palette_color(232), (Rgb{8, 8, 8}));
  EXPECT_EQ(palette_color(255), (Rgb{238, 238, 238}));
  for (const int number : {16, 79, 214, 231, 232, 255})
    EXPECT_EQ(palette_number(palette_color(number)), number);
}

TEST(Themes, ContrastIsTheStandards) {
  EXPECT_NEAR(contrast({0, 0, 0}, {255, 255, 255}), 21, 0.01);
  EXPECT_NEAR(contrast({118, 118, 118}, {255, 255, 255}), 4.54, 0.01);
}

TEST(Themes, TheBackgroundDecides) {
  EXPECT_EQ(theme_for({0, 43, 54}), Theme::dark);
  EXPECT_EQ(theme_for({253, 246, 227}), Theme::light);
  EXPECT_EQ(theme_from("0;15"), Theme::light);
  EXPECT_EQ(theme_from("0;default;7"), Theme::light);
  EXPECT_EQ(theme_from("15;0"), Theme::dark);
  for (const char* unknown : {"", "15", "15;default", "15;"})
    EXPECT_EQ(theme_from(unknown), std::nullopt);
  EXPECT_EQ(theme_from(nullptr), std::nullopt);
}

TEST(Themes, TheTerminalsOwnTextColorDoesForText) {
  EXPECT_TRUE(is_text(Style::plain, ColorDepth::rgb));
  EXPECT_FALSE(is_text(Style::dim, ColorDepth::palette));
  EXPECT_TRUE(is_text(Style::dim, ColorDepth::eight)) << "there is no grey: it is dimmed";
  EXPECT_FALSE(is_text(Style::error, ColorDepth::eight));
}

}  // namespace
}  // namespace pipetop::tui
