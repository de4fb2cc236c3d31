#include <gtest/gtest.h>

#include "engine/observe/ring_reader.h"

namespace pipetop::observe {
namespace {

std::unique_ptr<ring_snapshot> snapshot_of(uint32_t slots, uint32_t tail, uint32_t used) {
  auto snapshot = std::make_unique<ring_snapshot>();
  snapshot->ring.at_ns = 1;
  snapshot->ring.slots = slots;
  snapshot->ring.tail = tail;
  snapshot->ring.head = tail + used;
  snapshot->filled = std::min<uint32_t>(used, RING_SLOTS);
  for (uint32_t i = 0; i < snapshot->filled; ++i)
    snapshot->slot[i] = {.offset = i,
                         .length = 4096,
                         .flags = 0,
                         .kind = RING_COPY,
                         .huge = 0,
                         .consecutive = 0,
                         .reserved = 0};
  return snapshot;
}

TEST(RingFrame, PutsSlotsWhereTheRingHasThem) {
  const auto snapshot = snapshot_of(16, 14, 4);
  const auto frame = frame_of(*snapshot);
  ASSERT_TRUE(frame.has_value());
  ASSERT_EQ(frame->slot.size(), 16u);
  EXPECT_EQ(frame->used, 4u);
  EXPECT_EQ(frame->slot[14].offset, 0u);
  EXPECT_EQ(frame->slot[1].offset, 3u);
  EXPECT_EQ(frame->slot[1].kind, SlotKind::copy);
  EXPECT_EQ(frame->slot[2].kind, SlotKind::empty);
}

TEST(RingFrame, RunningIndicesWrap) {
  const auto snapshot = snapshot_of(16, 0xffff'fffe, 3);
  const auto frame = frame_of(*snapshot);
  EXPECT_EQ(frame->used, 3u);
  EXPECT_EQ(frame->slot[14].kind, SlotKind::copy);
  EXPECT_EQ(frame->slot[0].kind, SlotKind::copy);
  EXPECT_EQ(frame->slot[1].kind, SlotKind::empty);
}

TEST(RingFrame, ASlotReleasedMeanwhileIsEmpty) {
  const auto snapshot = snapshot_of(16, 0, 2);
  snapshot->slot[1].kind = RING_EMPTY;
  const auto frame = frame_of(*snapshot);
  EXPECT_EQ(frame->slot[1].kind, SlotKind::empty);
  EXPECT_EQ(frame->slot[1].length, 0u);
}

TEST(RingFrame, SaysThatAHugeRingIsNotShown) {
  const auto snapshot = snapshot_of(8192, 0, 5000);
  const auto frame = frame_of(*snapshot);
  ASSERT_EQ(frame.status, ReadingStatus::ok);
  EXPECT_EQ(frame->used, 5000u);
  EXPECT_TRUE(frame->slot.empty());
  EXPECT_EQ(frame.reason, "8192 slots are more than the 4096 that can be shown");
}

TEST(KindCounts, SharesAreOfOccupiedSlots) {
  const auto snapshot = snapshot_of(16, 0, 4);
  snapshot->slot[0].kind = RING_EMPTY;
  snapshot->slot[1].kind = RING_USER_PAGE;
  KindCounts counts;
  EXPECT_EQ(counts.shares().status, ReadingStatus::warming);
  counts.add(*snapshot);
  const auto shares = counts.shares();
  ASSERT_TRUE(shares.has_value());
  EXPECT_DOUBLE_EQ((*shares)[size_t(SlotKind::empty)], 0.0);
  EXPECT_DOUBLE_EQ((*shares)[size_t(SlotKind::user_page)], 1.0 / 3);
  EXPECT_DOUBLE_EQ((*shares)[size_t(SlotKind::copy)], 2.0 / 3);
}

}  // namespace
}  // namespace pipetop::observe
