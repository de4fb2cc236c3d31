#include <gtest/gtest.h>

#include "tui/tests/snapshots.h"
#include "tui/widgets/ring.h"

namespace pipetop::tui {
namespace {

Lines strip(const RingFrame& frame, int rows, int cols, GlyphSet set = GlyphSet::unicode,
            bool underline = false) {
  StripStyle look;
  look.scale = strip_scale(frame.slots, cols, rows);
  look.underline = underline;
  return drawn(
      rows, cols, [&](const Area& a) { draw_strip(a, frame, look); }, set);
}

TEST(SlotStrip, ASlotTakesSeveralCellsWhenThereAreFew) {
  EXPECT_EQ(strip(ring_frame(4, 2), 1, 9), (Lines{"█ █ · ·"}));
  EXPECT_EQ(strip(ring_frame(1, 1), 1, 40), (Lines{"███████"}));
  EXPECT_EQ(strip(ring_frame(1, 0), 1, 40), (Lines{"·······"}));
}

TEST(SlotStrip, BeginsAtTheTailWhereverThatLies) {
  const RingFrame turned = ring_frame(8, 5, 4'294'967'293u);
  EXPECT_EQ(strip(turned, 1, 8), (Lines{"█████···"}));
}

TEST(SlotStrip, AHalfFullSlotIsDrawnHalf) {
  RingFrame f = ring_frame(8, 3);
  f.slot[2].length = 2048;
  EXPECT_EQ(strip(f, 1, 8), (Lines{"██▌·····"}));
  EXPECT_EQ(strip(f, 1, 16), (Lines{"█ █ ▌ · · · · ·"}));
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

TEST(SlotTrail, ForgetsAfterAMomentAndAtAResize) {
  SlotTrail trail;
  RingFrame f = ring_frame(16, 2, 4'294'967'294u);
  f.at_ns = 1'000'000'000;
  trail.update(f);
  EXPECT_FALSE(trail.filled(15)) << "nobody saw that happen";
  f.head += 2, f.tail += 3, f.at_ns += 50'000'000;
  trail.update(f);
  EXPECT_TRUE(trail.filled(0) && trail.filled(1) && trail.freed(14) && trail.freed(0));
  EXPECT_FALSE(trail.filled(2) || trail.freed(1));
  f.at_ns += 300'000'000;
  trail.update(f);
  EXPECT_TRUE(trail.filled(1));
  f.at_ns += 100'000'000;
  trail.update(f);
  EXPECT_FALSE(trail.filled(1));
  RingFrame other = ring_frame(32, 9);
  other.at_ns = f.at_ns + 1;
  trail.update(other);
  EXPECT_FALSE(trail.filled(3));
}

}  // namespace
}  // namespace pipetop::tui
