// A day and more by clocks that are made up: what is kept is bounded, and the figures are right.
#include <gtest/gtest.h>

#include <vector>

#include "engine/base/clock.h"
#include "engine/observe/call_trees.h"
#include "engine/observe/occupancy.h"

namespace pipetop::observe {
namespace {

constexpr uint64_t kDay = 24 * 3600 * kSecond;

// The ring's totals are read an hour before and an hour after a counter wraps.
TEST(ADay, OccupancyOutlivesTheEndOfItsCounters) {
  constexpr uint64_t kHour = 3600 * kSecond;
  OccupancyCounts before;
  before.still.ns.fill(UINT64_MAX - kHour / 2);
  before.still.share_ns = before.one.ns = before.points = UINT64_MAX - kHour / 2;
  OccupancyCounts now = before;
  now.still.add(0, kHour);
  now.still.add(OccupancyCounts::kShareOne, 3 * kHour);
  now.points += kHour;
  const OccupancyCounts since = now.since(before);
  EXPECT_EQ(since.points, kHour);
  const auto seen = occupancy_of(since, "");
  ASSERT_TRUE(seen.has_value());
  EXPECT_NEAR(seen->empty_share, 0.25, 1e-9);
  EXPECT_NEAR(seen->mean_share, 0.75, 1e-4);
}

// A full ring's sum of share * ns is the largest: it must last for weeks.
TEST(ADay, AMonthOfAFullRingIsFull) {
  OccupancyCounts counts;
  for (int day = 0; day < 30; ++day) counts.still.add(OccupancyCounts::kShareOne, kDay);
  EXPECT_NEAR(occupancy_of(counts, "")->mean_share, 1, 1e-6);
  EXPECT_EQ(occupancy_of(counts, "")->full_share, 1);
}

TEST(ADay, TheHistoryOfTheRingHoldsItsLastMinutes) {
  OccupancyRecorder recorder;
  OccupancyCounts counts;
  uint64_t now_ns = kSecond;
  for (; now_ns < kDay / 24; now_ns += OccupancyRecorder::kColumn_ns) {
    counts.still.add(now_ns % kSecond == 0 ? 0 : OccupancyCounts::kShareOne, kSecond);
    counts.points += 100'000;  // more than a column's 16 bits
    recorder.add(now_ns, counts);
  }
  const auto& columns = recorder.history()->columns;
  ASSERT_EQ(columns.size(), OccupancyRecorder::kColumns);
  EXPECT_EQ(columns.back().end_ns, now_ns - OccupancyRecorder::kColumn_ns);
  for (const OccupancyColumn& column : columns) EXPECT_EQ(column.samples, UINT16_MAX);
}

// 999 samples a second for a day would be 86 million; every tenth second stands for ten.
TEST(ADay, AWindowOfSamplesStaysAWindow) {
  constexpr uint64_t kWindow = 5 * kSecond;
  CallCounter counter(kWindow);
  const Function read("read"), loop("loop");
  const std::vector<Function> stack = {read, loop};
  uint64_t added = 0;
  for (uint64_t second = 0; second < kDay / kSecond; second += 10)
    for (uint64_t ms = 0; ms < 1000; ms += 10, ++added) {
      const uint64_t at_ns = second * kSecond + ms * kMs;
      counter.add(at_ns, counter.place_of(stack), 1'000'000);
      counter.expire(at_ns);
      ASSERT_LE(counter.samples(Span::window), 101u);
    }
  EXPECT_EQ(counter.samples(Span::segment), added);
  EXPECT_EQ(counter.table(Span::segment).tree->total, added);
  EXPECT_EQ(counter.table(Span::window).samples, 100u);
}

}  // namespace
}  // namespace pipetop::observe
