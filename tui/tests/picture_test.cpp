#include "tui/draw/picture.h"

#include <gtest/gtest.h>
#include <locale.h>

#include <cstdlib>
#include <regex>
#include <set>

#include "engine/config/config.h"
#include "tui/dashboard/controller.h"
#include "tui/draw/text.h"
#include "tui/print/tests/xml_reader.h"
#include "tui/screen/shell.h"
#include "tui/tests/fake_source.h"

namespace pipetop::tui {
namespace {

const Glyphs& unicode_glyphs() { return glyphs_of(GlyphSet::unicode); }

Canvas canvas_of(std::string_view text, int rows = 1, int cols = 40, Ink ink = {}) {
  Canvas canvas(unicode_glyphs(), rows, cols);
  Area(canvas, {0, 0, rows, cols}).put(0, 0, text, ink);
  return canvas;
}

bool has_part(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

struct WrittenText {
  int x, y, width;
  std::string words;
};

// Words are escaped still.
std::vector<WrittenText> texts_of(const std::string& svg) {
  static const std::regex element(
      "<text x=\"(\\d+)\" y=\"(\\d+)\" textLength=\"(\\d+)\"[^>]*>([^<]*)</text>");
  std::vector<WrittenText> texts;
  for (std::sregex_iterator at(svg.begin(), svg.end(), element), end; at != end; ++at)
    texts.push_back({std::stoi((*at)[1]), std::stoi((*at)[2]), std::stoi((*at)[3]), (*at)[4]});
  return texts;
}

class PictureTest : public testing::Test {
 protected:
  void SetUp() override { setlocale(LC_CTYPE, "C.UTF-8"); }

  // Every page of the dashboard that a key opens, in several states.
  static std::vector<Canvas> dashboards(int rows, int cols) {
    std::vector<Canvas> all;
    for (const char* keys : {"", "f E", "w", "?", "L", "r", "m i", "8"}) {
      Config config = default_config();
      FakeSource source(config.settings);
      Controller screen(source, config.settings, config.presets);
      Still still(screen, rows, cols);
      source.advance(20'000'000'000);
      still.tick();
      for (const char c : std::string_view(keys))
        if (c != ' ') still.press(Key(c));
      source.advance(5'000'000'000);
      still.tick();
      all.push_back(still.draw_frame());
    }
    return all;
  }
};

TEST_F(PictureTest, SvgIsWellFormedWhateverIsShown) {
  for (const auto& [rows, cols] : {std::pair{24, 80}, {40, 120}, {45, 160}}) {
    for (const Canvas& canvas : dashboards(rows, cols)) {
      for (const Theme theme : {Theme::dark, Theme::light, Theme::high_contrast}) {
        const XmlDocument document = read_xml(svg_picture(canvas, {theme, true}));
        ASSERT_EQ(document.error, "");
        EXPECT_EQ(document.elements.front(), "svg");
        const std::set<std::string> used(document.elements.begin(), document.elements.end());
        for (const std::string& element : used)
          EXPECT_TRUE(element == "svg" || element == "title" || element == "desc" ||
                      element == "rect" || element == "g" || element == "path" || element == "text")
              << element << " would need something else";
      }
    }
  }
  EXPECT_EQ(read_xml(svg_picture(Canvas(unicode_glyphs()), {})).error, "");
}

TEST_F(PictureTest, SvgEscapesNames) {
  const std::string svg = svg_picture(canvas_of("a<b> & \"c\"\033[2J"), {});
  EXPECT_EQ(read_xml(svg).error, "");
  EXPECT_TRUE(has_part(svg, "a&lt;b&gt; &amp; &quot;c&quot;?[2J")) << svg;
}

// Each text is at its cell, and as wide as its columns: nothing overlaps in any font.
TEST_F(PictureTest, SvgKeepsTheGrid) {
  for (const Canvas& canvas : dashboards(40, 120)) {
    std::set<std::pair<int, int>> taken;
    for (const WrittenText& text : texts_of(svg_picture(canvas, {}))) {
      ASSERT_EQ(text.x % kCellWidth, 0);
      ASSERT_EQ(text.width % kCellWidth, 0);
      const int row = text.y / kCellHeight, col = text.x / kCellWidth;
      ASSERT_LE(text.x + text.width, 120 * kCellWidth);
      for (int c = col; c < col + text.width / kCellWidth; ++c)
        ASSERT_TRUE(taken.insert({row, c}).second) << text.words;
      if (text.words.find('&') == text.words.npos) {
        ASSERT_EQ(columns_of(text.words) * kCellWidth, text.width) << text.words;
        std::string_view words = text.words;
        ASSERT_EQ(canvas.at(row, col).glyph, take_code_point(words));
      }
    }
    // What is no text is a shape, or blank.
    for (int row = 0; row < canvas.rows(); ++row)
      for (int col = 0; col < canvas.cols(); ++col) {
        const char32_t glyph = canvas.at(row, col).glyph;
        const bool drawn = shape_of(glyph, 0, 0).paint != Shape::Paint::none;
        if (glyph != U' ' && glyph != 0 && !drawn) {
          ASSERT_TRUE(taken.contains({row, col})) << row << " " << col;
        }
      }
  }
}

TEST_F(PictureTest, SvgSeparatesCharactersOfOtherFonts) {
  const auto texts = texts_of(svg_picture(canvas_of("was Δ日x"), {}));
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_EQ(texts[0].words, "was");
  EXPECT_EQ(texts[0].width, 3 * kCellWidth);
  EXPECT_EQ(texts[1].words, "Δ");
  EXPECT_EQ(texts[1].width, kCellWidth);
  EXPECT_EQ(texts[2].words, "日");
  EXPECT_EQ(texts[2].width, 2 * kCellWidth);
  EXPECT_EQ(texts[3].x, 7 * kCellWidth);
}

// Charts have no letters: a font's gaps would show.
TEST_F(PictureTest, EveryGlyphOfAChartIsAShape) {
  const Glyphs& g = unicode_glyphs();
  std::u32string glyphs = {g.top_left,   g.top_right,   g.bottom_left, g.bottom_right,
                           g.horizontal, g.vertical,    g.upper_half,  g.lower_half,
                           g.full,       g.under_huge,  g.closed,      g.opened,
                           g.branch,     g.last_branch, U'●',          U'○'};
  for (const char32_t c : g.rising) glyphs += c;
  for (const char32_t c : g.filling) glyphs += c;
  for (const char32_t c : g.shade) glyphs += c;
  for (char32_t c = 0x2801; c < 0x2900; ++c) glyphs += c;
  for (const char32_t c : glyphs)
    if (c != U' ') {
      EXPECT_NE(shape_of(c, 0, 0).paint, Shape::Paint::none) << std::hex << uint32_t(c);
    }
  for (const char32_t c : {U'a', U'é', U'Δ', U'…', U' '})
    EXPECT_EQ(shape_of(c, 0, 0).paint, Shape::Paint::none);
}

TEST_F(PictureTest, BlocksFillTheirPartOfTheCell) {
  EXPECT_EQ(shape_of(U'█', 24, 48).path, "M24 48h12v24h-12z");
  EXPECT_EQ(shape_of(U'▂', 0, 0).path, "M0 18h12v6h-12z");
  EXPECT_EQ(shape_of(U'▌', 12, 0).path, "M12 0h6v24h-6z");
  EXPECT_EQ(shape_of(U'─', 0, 0, 5).path, "M0 12H60");
  EXPECT_EQ(shape_of(0x2801, 0, 0).path, "M3 3h0");
  EXPECT_EQ(shape_of(0x2880, 0, 0).path, "M9 21h0");
  const std::string svg = svg_picture(canvas_of("████"), {});
  EXPECT_TRUE(has_part(svg, "M0 0h48v24h-48z")) << "neighbours have no seam: " << svg;
}

TEST_F(PictureTest, ReverseHasAGround) {
  const std::string svg = svg_picture(canvas_of("FROZEN", 1, 10, {Style::warning, kReverse}), {});
  EXPECT_TRUE(has_part(svg, "fill=\"#ffb000\" d=\"M0 0h72v24h-72z\"")) << svg;
  EXPECT_TRUE(has_part(svg, "<g fill=\"#101418\" font-weight=\"700\">")) << svg;
}

TEST_F(PictureTest, ThemesDifferAndNoColorHasNone) {
  const Canvas canvas = canvas_of("vmsplice", 1, 10, Style::lit);
  EXPECT_TRUE(has_part(svg_picture(canvas, {Theme::light, true}), "fill=\"#ffffff\""));
  EXPECT_TRUE(has_part(svg_picture(canvas, {Theme::high_contrast, true}), "fill=\"#000000\""));
  EXPECT_TRUE(has_part(svg_picture(canvas, {Theme::dark, true}), "fill=\"#7affa9\""));
  EXPECT_FALSE(has_part(svg_picture(canvas, {Theme::dark, false}), "fill=\"#7affa9\""));
}

TEST_F(PictureTest, TextIsTheCanvas) {
  for (const Canvas& canvas : dashboards(24, 80))
    EXPECT_EQ(text_picture(canvas, {}), canvas.text());
}

std::string without_escapes(const std::string& text) {
  static const std::regex escapes("\033\\[[0-9;]*m"), blanks(" +\n");
  return std::regex_replace(std::regex_replace(text, escapes, ""), blanks, "\n");
}

TEST_F(PictureTest, AnsiWithoutItsEscapesIsTheText) {
  for (const Canvas& canvas : dashboards(40, 120)) {
    for (const Theme theme : {Theme::dark, Theme::light, Theme::high_contrast}) {
      const std::string ansi = ansi_picture(canvas, {theme, true});
      EXPECT_EQ(without_escapes(ansi), canvas.text());
      EXPECT_TRUE(ansi.ends_with("\033[0m\n")) << "nothing is left behind";
    }
  }
}

TEST_F(PictureTest, AnsiHasTheColors) {
  const Canvas canvas = canvas_of("x", 1, 2, Style::lit);
  EXPECT_EQ(ansi_picture(canvas, {}),
            "\033[0;1;38;2;122;255;169;48;2;16;20;24mx\033[0;38;2;228;228;228;48;2;16;20;24m "
            "\033[0m\n");
}

TEST(Still, KeysHaveTheNamesOfTheHelp) {
  EXPECT_EQ(key_named("v"), U'v');
  EXPECT_EQ(key_named("Space"), U' ');
  EXPECT_EQ(key_named("Tab"), key::tab);
  EXPECT_EQ(key_named("PgDn"), key::page_down);
  EXPECT_EQ(key_named("ä"), U'ä');
  for (const char* word : {"", "space", "vs", "\033", "\x7f", "\xff", " "})
    EXPECT_EQ(key_named(word), std::nullopt) << word;
}

TEST(Still, DrawsWhatTheKeysChanged) {
  const Config config = default_config();
  FakeSource source(config.settings);
  Controller screen(source, config.settings, config.presets);
  Still still(screen, 24, 80);
  still.tick();
  EXPECT_FALSE(screen.has_settled()) << "there is no rate yet";
  source.advance(10'000'000'000);
  still.tick();
  EXPECT_TRUE(screen.has_settled());
  still.press(U'7');
  source.advance(500'000'000);
  still.tick();
  EXPECT_FALSE(screen.has_settled()) << "the figures are of both settings";
  source.advance(5'000'000'000);
  still.tick();
  EXPECT_TRUE(screen.has_settled());
  const Canvas& canvas = still.draw_frame();
  EXPECT_EQ(canvas.rows(), 24);
  EXPECT_EQ(canvas.cols(), 80);
  EXPECT_NE(canvas.text().find("busy_loop_huge"), std::string::npos) << canvas.text();
  still.press(U'?');
  EXPECT_NE(still.draw_frame().text().find("Knobs, while data flows"), std::string::npos);
}

TEST(Film, ShowsItsFramesInTurn) {
  const std::vector<Canvas> frames = {canvas_of("one"), canvas_of("two"), canvas_of("three")};
  const std::string svg = svg_film(frames, {});
  EXPECT_EQ(read_xml(svg).error, "");
  for (const char* part :
       {">one<", ">two<", ">three<", "animation:frame 9s", "33.333%", "animation-delay:6s"})
    EXPECT_TRUE(has_part(svg, part)) << part;
}

}  // namespace

}  // namespace pipetop::tui
