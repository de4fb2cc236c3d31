#include "engine/meter/rewritten_slots.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/model/settings.h"

namespace pipetop {
namespace {

// The frame and the passage of a pipe with 8 slots after so many pages.
class RewrittenSlotsTest : public testing::Test {
 protected:
  // 'x' for a rewritten page, '.' for another, from the tail to the head.
  std::string see(uint64_t pages_written, uint64_t pages_read) {
    RingFrame frame;
    frame.at_ns = ++now_;
    frame.slots = 8;
    frame.head = kFirstHead + static_cast<uint32_t>(pages_written);
    frame.tail = kFirstHead + static_cast<uint32_t>(pages_read);
    frame.used = frame.head - frame.tail;
    frame.slot.resize(8);
    for (uint32_t i = frame.tail; i != frame.head; ++i)
      frame.slot[i % 8] = {.kind = SlotKind::user_page, .length = uint32_t{kPageBytes}};
    passage_.written = pages_written * kPageBytes;
    passage_.read = pages_read * kPageBytes + uncounted_;
    slots_.mark(frame, passage_);
    std::string text;
    for (uint32_t i = frame.tail; i != frame.head; ++i)
      text += frame.slot[i % 8].rewritten ? 'x' : '.';
    return text;
  }
  void rewrite(uint64_t from_page, uint64_t to_page) {
    passage_.writer.rewritten_from = from_page * kPageBytes;
    passage_.writer.rewritten_to = to_page * kPageBytes;
  }

  static constexpr uint32_t kFirstHead = 0xFFFFFFFE;  // the indices wrap around
  RewrittenSlots slots_;
  Passage passage_;
  uint64_t now_ = 0, uncounted_ = 0;
};

TEST_F(RewrittenSlotsTest, MarksWhatWasLentBeforeTheBufferWasRewritten) {
  EXPECT_EQ(see(4, 0), "....");
  rewrite(0, 4);
  see(4, 0);
  EXPECT_EQ(see(4, 0), "xxxx");
  see(6, 1);
  EXPECT_EQ(see(6, 1), "xxx..");
}

TEST_F(RewrittenSlotsTest, NotWhatWasLentFromAnEarlierBuffer) {
  rewrite(2, 4);
  see(6, 0);
  EXPECT_EQ(see(6, 0), "..xx..");
}

// Other buffers are rewritten now, but what was rewritten before stays so.
TEST_F(RewrittenSlotsTest, AMarkStaysUntilThePageLeavesTheRing) {
  rewrite(0, 4);
  see(4, 0);
  EXPECT_EQ(see(4, 0), "xxxx");
  rewrite(4, 4);
  see(6, 2);
  EXPECT_EQ(see(6, 2), "xx..");
  see(12, 8);
  EXPECT_EQ(see(12, 8), "....") << "in the same slots";
}

// The frame may be older than the counts: then only what was marked before stays marked.
TEST_F(RewrittenSlotsTest, WhileSomethingMovesNothingNewIsMarked) {
  rewrite(0, 2);
  see(4, 0);
  EXPECT_EQ(see(4, 0), "xx..");
  rewrite(0, 4);
  EXPECT_EQ(see(5, 1), "x...");
  EXPECT_EQ(see(5, 1), "xxx.");
}

TEST_F(RewrittenSlotsTest, NothingIsMarkedWhereTheCountsDoNotFitTheRing) {
  rewrite(0, 4);
  uncounted_ = 4096;  // as after a worker was killed
  see(4, 0);
  EXPECT_EQ(see(4, 0), "....");
}

}  // namespace
}  // namespace pipetop
