// A slot that is inspected: how it is chosen, and what is said about it.
#include <gtest/gtest.h>

#include "tui/dashboard/keymap.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/ring.h"

namespace pipetop::tui {
namespace {

class InspectionTest : public testing::Test {
 protected:
  // Tail 30, head 3.
  InspectionTest() { begin(ring_frame(32, 5, 4'294'967'294u)); }

  void begin(RingFrame frame) {
    shown_.ring = ring_view(std::move(frame));
    state_.inspected.reset();
    EXPECT_NE(toggle_inspection(state_, shown_.ring), "");
  }
  bool takes(Key key) {
    const auto place = place_slots({0, 0, 21, 40}, shown_.ring, state_, pace_of(shown_));
    return state_.inspected && press_slots(state_, place, key);
  }
  uint32_t press(Key key) {
    EXPECT_TRUE(takes(key));
    return state_.inspected.value_or(999);
  }

  Snapshot shown_;
  RingState state_;
};

TEST_F(InspectionTest, WalksAroundTheRing) {
  EXPECT_EQ(state_.inspected, 30u) << "the tail";
  EXPECT_EQ(press(key::right), 31u);
  EXPECT_EQ(press(key::right), 0u);
  EXPECT_EQ(press(key::left), 31u);
  EXPECT_EQ(press(key::end), 2u) << "the newest";
  EXPECT_EQ(press(key::home), 30u);
  EXPECT_EQ(press(key::page_down), 6u) << "a quarter of the ring";
  EXPECT_EQ(press(key::page_up), 30u);
}

TEST_F(InspectionTest, GoesByLinesWhereThereAreSome) {
  begin(ring_frame(64, 0));
  EXPECT_EQ(press(key::page_down), 32u);
  EXPECT_EQ(press(key::up), 0u);
  EXPECT_EQ(press(key::end), 0u) << "nothing is in it";
}

TEST_F(InspectionTest, EscapeLeavesAndOtherKeysAreNotIts) {
  EXPECT_FALSE(takes(U'v'));
  EXPECT_FALSE(takes(U'j'));
  press(key::escape);
  EXPECT_FALSE(state_.inspected);
  EXPECT_FALSE(takes(key::right));
}

TEST_F(InspectionTest, ARingThatBecameSmallerKeepsItInside) {
  state_.inspected = 200;
  EXPECT_EQ(press(key::right), 9u);
}

TEST(SlotDetail, FlagsHaveTheKernelsNames) {
  EXPECT_EQ(flags_text(0), "none");
  EXPECT_EQ(flags_text(0x04), "GIFT");
  EXPECT_EQ(flags_text(0x7F), "LRU ATOMIC GIFT PACKET CAN_MERGE WHOLE LOSS");
  EXPECT_EQ(flags_text(0x110), "CAN_MERGE 0x100");
}

Lines detail(const RingFrame& f, uint32_t index, int cols = 80) {
  return drawn(4, cols, [&](const Area& a) { draw_slot_detail(a, f, index); });
}

TEST(SlotDetail, TellsEverythingOfASlot) {
  RingFrame f = ring_frame(32, 5, 30);
  f.slot[0] = {SlotKind::user_page, true, true, 1000, 2048, 0x04};
  const Lines lines = detail(f, 0);
  EXPECT_EQ(lines[0], "slot 0 of 32  3rd from the tail");
  EXPECT_EQ(lines[1], "user page  offset 1,000  length 2,048 50 %  huge  follows its neighbour");
  EXPECT_EQ(lines[2], "flags GIFT");
  EXPECT_EQ(lines[3].substr(0, 44), "the writer's page, lent by vmsplice: nothing");
}

TEST(SlotDetail, SaysWhereTheEndsAre) {
  const RingFrame f = ring_frame(32, 5, 30);
  EXPECT_EQ(detail(f, 30)[0], "slot 30 of 32  at the tail: read next");
  EXPECT_EQ(detail(f, 2)[0], "slot 2 of 32  5th from the tail, the newest");
  EXPECT_EQ(detail(f, 3)[0], "slot 3 of 32  at the head: filled next");
  EXPECT_EQ(detail(f, 3)[1], "empty");
  EXPECT_EQ(detail(f, 3)[2], "free: the writer may fill it");
  EXPECT_EQ(detail(ring_frame(8, 0), 0)[0], "slot 0 of 8  tail and head: the ring is empty");
}

TEST(SlotDetail, EveryKindHasItsMeaning) {
  for (int i = 0; i < kSlotKinds; ++i)
    EXPECT_GT(meaning_of(static_cast<SlotKind>(i)).size(), 20u) << i;
}

TEST(Inspection, TheSlotIsMarkedWithoutColourToo) {
  Snapshot s = example_snapshot();
  RingState state;
  state.inspected = 5;
  Canvas canvas(glyphs_of(GlyphSet::unicode), 6, 36);
  draw_ring(Area(canvas, {0, 0, 6, 36}), s, state);
  EXPECT_EQ(canvas.line(1), "██u██████████████···············");
  EXPECT_TRUE(canvas.at(1, 2).ink.emphasis & kReverse);
  EXPECT_EQ(canvas.line(2), "slot 5 of 32  3rd from the tail");
}

TEST(Inspection, AClickFindsWhatIsDrawnThere) {
  const Snapshot s = example_snapshot();
  const RingState state;
  for (const int rows : {6, 12, 21}) {
    Canvas canvas(glyphs_of(GlyphSet::unicode), rows, 56);
    draw_ring(Area(canvas, {0, 0, rows, 56}), s, state);
    int found = 0;
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < 56; ++col) {
        const auto slot =
            slot_at(*place_slots({0, 0, rows, 56}, s.ring, state, pace_of(s)), row, col);
        if (!slot) continue;
        const bool used = is_used(*s.ring.frame, *slot);
        // The row below the slots belongs to them.
        const char32_t glyph = canvas.at(row, col).glyph;
        ASSERT_TRUE(glyph == (used ? U'█' : U'·') || glyph == U' ') << row << ":" << col;
        ++found;
      }
    }
    EXPECT_GE(found, 64) << rows;
  }
  EXPECT_FALSE(slot_at(*place_slots({0, 0, 12, 56}, s.ring, state, pace_of(s)), 0, 0));
}

}  // namespace
}  // namespace pipetop::tui
