#include "tui/widgets/ring.h"

#include <gtest/gtest.h>

#include "tui/dashboard/whole_frames.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/occupancy.h"
#include "tui/widgets/slot_strip.h"

namespace pipetop::tui {
namespace {

Lines strip(const RingFrame& frame, int rows, int cols, GlyphSet set = GlyphSet::unicode,
            bool underline = false) {
  const StripScale scale = strip_scale(frame.slots, cols, rows);
  return drawn(
      rows, cols, [&](const Area& a) { draw_strip(a, frame, scale, 1, underline); }, set);
}

TEST(SlotStrip, ASlotTakesSeveralCellsWhenThereAreFew) {
  EXPECT_EQ(strip(ring_frame(4, 2), 1, 9), (Lines{"████····"}));
  EXPECT_EQ(strip(ring_frame(1, 1), 1, 40), (Lines{"████████"}));
  EXPECT_EQ(strip(ring_frame(1, 0), 1, 40), (Lines{"········"}));
}

TEST(SlotStrip, BeginsAtTheTailWhereverThatLies) {
  const RingFrame turned = ring_frame(8, 5, 4'294'967'293u);
  EXPECT_EQ(strip(turned, 1, 8), (Lines{"█████···"}));
}

TEST(SlotStrip, AHalfFullSlotIsDrawnHalf) {
  RingFrame f = ring_frame(8, 3);
  f.slot[2].length = 2048;
  EXPECT_EQ(strip(f, 1, 8), (Lines{"██▌·····"}));
  EXPECT_EQ(strip(f, 1, 16), (Lines{"█████···········"}));
}

TEST(SlotStrip, KindsDifferWithoutColour) {
  RingFrame f = ring_frame(6, 5);
  f.slot[0].kind = SlotKind::copy;
  f.slot[1].kind = SlotKind::user_page;
  f.slot[2].kind = SlotKind::page_cache;
  f.slot[3].kind = SlotKind::zero_page;
  f.slot[4].kind = SlotKind::other;
  f.slot[1].huge = true;
  EXPECT_EQ(strip(f, 1, 6), (Lines{"▒█▓░?·"}));
  EXPECT_EQ(strip(f, 1, 6, GlyphSet::ascii), (Lines{"cUp0?."}));
  EXPECT_EQ(strip(f, 2, 6, GlyphSet::unicode, true), (Lines{"▒█▓░?·", " ▔"}));
}

TEST(SlotStrip, ManySlotsShareACell) {
  EXPECT_EQ(strip(ring_frame(256, 128), 1, 40).front(), "████████████████················");
  EXPECT_EQ(strip_scale(256, 40, 1).slots_a_cell, 8);
  EXPECT_EQ(strip_scale(4096, 56, 4).slots_a_cell, 32);
  EXPECT_EQ(strip_scale(4096, 56, 4).lines, 3);
  const Lines many = strip(ring_frame(4096, 2048), 3, 56);
  EXPECT_EQ(many[0].substr(0, 3), "█");
  EXPECT_EQ(many[2].substr(0, 2), "·");
}

TEST(SlotStrip, EveryRingFitsEveryWidth) {
  for (const uint32_t slots : {1u, 2u, 16u, 17u, 32u, 256u, 4096u, 524288u}) {
    for (int cols = 1; cols < 120; ++cols) {
      const StripScale s = strip_scale(slots, cols, 3);
      ASSERT_LE(s.cells_a_line, cols) << slots;
      ASSERT_LE(s.lines, 3) << slots;
      ASSERT_GE(s.lines * s.cells_a_line * s.slots_a_cell / s.cells_a_slot, int(slots)) << cols;
      ASSERT_TRUE(s.cells_a_slot == 1 || s.slots_a_cell == 1);
    }
  }
}

TEST(SlotStrip, AFrameWithoutItsSlotsIsNotGuessed) {
  RingFrame f = ring_frame(16, 4);
  f.slot.resize(3);
  EXPECT_EQ(strip(f, 1, 16), (Lines{""}));
}

TEST(Ring, TellsSizeAndUseAtATinySize) {
  const RingView ring = ring_view(ring_frame(32, 17, 3));
  EXPECT_EQ(drawn(4, 38, [&](const Area& a) { draw_ring(a, ring); }),
            (Lines{"32 slots  128 KiB  17 used  53 %", "█████████████████···············",
                   "▒ copy 25 %  █ user page 75 %", "empty 40 % █▁▁▁▁▁▁▁▁▅ full 25 %"}));
}

TEST(Ring, MarksHeadAndTail) {
  const RingView ring = ring_view(ring_frame(32, 17, 3, SlotKind::user_page, true));
  const Lines lines = drawn(10, 38, [&](const Area& a) { draw_ring(a, ring); });
  EXPECT_EQ(lines[1], "▾tail 3   head 20▾");
  EXPECT_EQ(lines[2], "█████████████████···············");
  EXPECT_EQ(lines[4], "▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔");
}

TEST(Ring, TheHeadOfAFullRingIsStillMarked) {
  const RingView ring = ring_view(ring_frame(32, 32, 3));
  EXPECT_EQ(drawn(10, 32, [&](const Area& a) { draw_ring(a, ring); })[1],
            "▾tail 3                  head 3▾");
}

TEST(Ring, ATornFrameSaysSoAndClaimsNoHead) {
  RingFrame torn = ring_frame(32, 17, 3);
  torn.torn = true;
  const Lines lines = drawn(10, 60, [&](const Area& a) { draw_ring(a, ring_view(torn)); });
  EXPECT_EQ(lines[0], "32 slots  128 KiB  torn  17 used  53 %");
  EXPECT_EQ(lines[1], "torn: it moved while it was read");
  Canvas canvas(glyphs_of(GlyphSet::unicode), 10, 60);
  draw_ring(Area(canvas, {0, 0, 10, 60}), ring_view(torn));
  EXPECT_EQ(canvas.at(2, 0).ink.style, Style::dim);
}

TEST(Ring, AWholeFrameStandsInForATornOne) {
  WholeFrames frames;
  RingView ring = ring_view(ring_frame(32, 17, 3));
  frames.steady(ring);
  const auto torn = [&](uint32_t slots, uint64_t at_ns) {
    RingFrame f = ring_frame(slots, 5);
    f.torn = true;
    f.at_ns = at_ns;
    RingView view = ring_view(f);
    frames.steady(view);
    return *view.frame;
  };
  EXPECT_EQ(torn(32, 100'000'000).used, 17u);
  EXPECT_FALSE(torn(32, 100'000'000).torn);
  EXPECT_TRUE(torn(64, 100'000'000).torn) << "the ring has another size now";
  EXPECT_TRUE(torn(32, 900'000'000).torn) << "too long ago";
}

TEST(Ring, IntegrityIsShownWhenPagesAreChecked) {
  EXPECT_EQ(integrity_title({}).text, "");
  EXPECT_EQ(integrity_title(Reading<Integrity>::of({1234, 0, 0, 0, 1})).text,
            "1,234 pages verified");
  const TitlePart bad = integrity_title(Reading<Integrity>::of({1234, 2, 1, 0, 1}));
  EXPECT_EQ(bad.text, "2 misplaced, 1 torn, 0 unstamped of 1,234 pages verified");
  EXPECT_EQ(bad.ink.style, Style::error);
}

TEST(Ring, WithoutFramesItSaysWhyAndWhatToDo) {
  RingView ring = ring_view(ring_frame(32, 17));
  ring.frame = Reading<RingFrame>::unavailable("no permission to load BPF; run as root");
  EXPECT_EQ(drawn(5, 50, [&](const Area& a) { draw_ring(a, ring); }),
            (Lines{"32 slots  128 KiB", "slots unavailable: no permission to load BPF",
                   "run as root", "empty 40 % █▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▅ full 25 %", "12,345 samples"}));
}

TEST(Ring, WarmingIsNotZero) {
  RingView ring;
  ring.slots = 16;
  ring.bytes = 65536;
  EXPECT_EQ(drawn(4, 40, [&](const Area& a) { draw_ring(a, ring); }),
            (Lines{"16 slots  64 KiB", "slots: warming …", "occupancy: warming …", ""}));
}

TEST(Occupancy, TallWithItsSource) {
  const RingView ring = ring_view(ring_frame(32, 17));
  const Lines lines = drawn(5, 40, [&](const Area& a) { draw_occupancy(a, ring.occupancy); });
  EXPECT_EQ(lines[0], "█");
  EXPECT_EQ(lines[2], "█▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█");
  EXPECT_EQ(lines[3], "empty 40 %  mean 42 %    full 25 %");
  EXPECT_EQ(lines[4], "sampler 999 Hz · 12,345 samples");
}

}  // namespace
}  // namespace pipetop::tui
