#include "tui/draw/canvas.h"

#include <gtest/gtest.h>
#include <locale.h>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

const Glyphs& unicode() { return glyphs_of(GlyphSet::unicode); }

class CanvasTest : public testing::Test {
 protected:
  void SetUp() override { setlocale(LC_CTYPE, "C.UTF-8"); }
};

TEST_F(CanvasTest, ClipsOnEverySide) {
  Canvas canvas(unicode(), 2, 4);
  const Area area(canvas, {0, 0, 2, 4});
  EXPECT_EQ(area.put(0, 2, "abcdef", {}), 4);
  area.put(1, -2, "xyz", {});
  area.put(7, 0, "no", {});
  canvas.set(-1, 0, U'n', {});
  canvas.set(0, 99, U'n', {});
  EXPECT_EQ(canvas.text(), "  ab\nz\n");
}

TEST_F(CanvasTest, AnEmptyCanvasTakesEverything) {
  Canvas canvas(unicode(), 0, 0);
  const Area area(canvas, {5, 5, 10, 10});
  EXPECT_TRUE(area.empty());
  area.put(0, 0, "abc", {});
  area.put_fitted(0, 0, 3, "abc", {});
  area.fill(U'x', {});
  EXPECT_EQ(canvas.text(), "");
}

TEST_F(CanvasTest, WideCharactersAreNeverCutInHalf) {
  Canvas canvas(unicode(), 1, 5);
  const Area area(canvas, {0, 0, 1, 5});
  area.put(0, 0, "日本語", {});
  EXPECT_EQ(canvas.line(0), "日本");
  area.put(0, 1, "x", {});  // onto the right half of the first
  EXPECT_EQ(canvas.line(0), " x本");
  area.put(0, 2, "y", {});  // onto the left half of the second
  EXPECT_EQ(canvas.line(0), " xy");
  area.put(0, 4, "語", {});
  EXPECT_EQ(canvas.line(0), " xy");
}

TEST_F(CanvasTest, ControlCharactersNeverReachTheTerminal) {
  Canvas canvas(unicode(), 1, 12);
  Area(canvas, {0, 0, 1, 12}).put(0, 0, "a\033[2Jb\n\x7f", {});
  EXPECT_EQ(canvas.line(0), "a?[2Jb??");
}

// A name must not look like another one.
TEST_F(CanvasTest, InvisibleCharactersAreSeen) {
  Canvas canvas(unicode(), 1, 12);
  EXPECT_EQ(Area(canvas, {0, 0, 1, 12}).put(0, 0, "a\u200bb\u202ec\u00ad\ufeff", {}), 7);
  EXPECT_EQ(canvas.line(0), "a?b?c??");
}

TEST_F(CanvasTest, BrokenUtf8IsShownAsReplaced) {
  std::string_view text = "\xff\xe2\x82";
  EXPECT_EQ(take_code_point(text), 0xFFFDu);
  while (!text.empty()) EXPECT_EQ(take_code_point(text), 0xFFFDu);
  std::string back;
  for (const char32_t c : {U'a', U'±', U'█', U'😀'}) append_utf8(back, c);
  EXPECT_EQ(back, "a±█😀");
}

TEST_F(CanvasTest, ZeroWidthTakesNoCell) {
  Canvas canvas(unicode(), 1, 4);
  EXPECT_EQ(Area(canvas, {0, 0, 1, 4}).put(0, 0, "e\u0301x", {}), 2);
  EXPECT_EQ(canvas.line(0), "ex");
}

TEST_F(CanvasTest, AnEllipsisSaysThatSomethingIsMissing) {
  Canvas canvas(unicode(), 1, 10);
  const Area area(canvas, {0, 0, 1, 10});
  EXPECT_EQ(area.put_fitted(0, 0, 10, "ten chars.", {}), 10);
  EXPECT_EQ(canvas.line(0), "ten chars.");
  EXPECT_EQ(area.put_fitted(0, 0, 6, "page_cache", {}), 6);
  EXPECT_EQ(canvas.line(0), "page_…ars.");
}

TEST_F(CanvasTest, PartsStayWithinTheirWhole) {
  Canvas canvas(unicode(), 4, 10);
  const Area whole(canvas, {1, 2, 2, 5});
  const Area part = whole.part({1, 3, 9, 9});
  EXPECT_EQ(part.rect(), (Rect{2, 5, 1, 2}));
  part.put(0, 0, "abcdef", {});
  EXPECT_EQ(canvas.line(2), "     ab");
}

TEST_F(CanvasTest, AsciiHasNothingElse) {
  Canvas canvas(glyphs_of(GlyphSet::ascii), 1, 20);
  Area(canvas, {0, 0, 1, 20}).put(0, 0, "±×·●○…→▾é日", {});
  for (const char c : canvas.line(0)) EXPECT_TRUE(c >= 0x20 && c < 0x7F) << canvas.line(0);
}

TEST_F(CanvasTest, TextWrapsAtBlanks) {
  Canvas canvas(unicode(), 3, 10);
  EXPECT_EQ(wrap(Area(canvas, {0, 0, 3, 10}), "run as root or grant CAP_BPF and more", {}), 3);
  EXPECT_EQ(canvas.text(), "run as\nroot or\ngrant …\n");
  EXPECT_EQ(broken("abcdefghij klm", 4),
            (std::vector<std::string_view>{"abcd", "efgh", "ij", "klm"}));
}

TEST_F(CanvasTest, ItemsFlowAndAreLeftOutWhole) {
  Canvas canvas(unicode(), 2, 16);
  const Item items[] = {{"", "532 k", "calls/s", {}},
                        {"cpu", "1 %", "", {}, 4},
                        {"", "9", "/call", {}},
                        {"long", "item", "that never fits", {}}};
  put_items(Area(canvas, {0, 0, 2, 16}), items);
  EXPECT_EQ(canvas.text(), "532 k calls/s\ncpu  1 %  9/call\n");
}

}  // namespace
}  // namespace pipetop::tui
