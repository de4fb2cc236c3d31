#include <gtest/gtest.h>

#include "engine/observe/occupancy.h"

namespace pipetop::observe {
namespace {

constexpr uint64_t kColumn = OccupancyRecorder::kColumn_ns;

OccupancyCounts samples(uint64_t empty, uint64_t full) {
  OccupancyCounts counts;
  counts.still.add(0, empty * 1'000'000);
  counts.still.add(OccupancyCounts::kShareOne, full * 1'000'000);
  counts.points = empty + full;
  return counts;
}

TEST(OccupancyHistory, AColumnHoldsWhatWasCountedDuringIt) {
  OccupancyRecorder recorder;
  EXPECT_TRUE(recorder.due(kColumn));
  recorder.add(kColumn, samples(100, 50));
  EXPECT_EQ(recorder.history(), nullptr) << "nobody knows when that was counted";
  EXPECT_FALSE(recorder.due(2 * kColumn - 1));
  EXPECT_TRUE(recorder.due(2 * kColumn));
  recorder.add(2 * kColumn, samples(110, 80));
  recorder.add(3 * kColumn, samples(110, 80));
  const auto got = recorder.history();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->column_ns, kColumn);
  ASSERT_EQ(got->columns.size(), 2u);
  EXPECT_EQ(got->columns[0].end_ns, 2 * kColumn);
  EXPECT_EQ(got->columns[0].samples, 40u);
  EXPECT_EQ(got->columns[0].count.front(), 10u);
  EXPECT_EQ(got->columns[0].count.back(), 30u);
  EXPECT_EQ(got->columns[1].samples, 0u);
}

TEST(OccupancyHistory, WhoeverHoldsOneKeepsIt) {
  OccupancyRecorder recorder;
  recorder.add(kColumn, samples(0, 0));
  recorder.add(2 * kColumn, samples(1, 0));
  const auto held = recorder.history();
  recorder.add(3 * kColumn, samples(1, 1));
  EXPECT_EQ(held->columns.size(), 1u);
  EXPECT_EQ(recorder.history()->columns.size(), 2u);
}

TEST(OccupancyHistory, ARingThatStandsStillNeedsNoPoint) {
  OccupancyRecorder recorder;
  OccupancyCounts counts = samples(0, 3);
  recorder.add(kColumn, counts);
  counts.still.add(OccupancyCounts::kShareOne, kColumn);
  recorder.add(2 * kColumn, counts);
  const OccupancyColumn& column = recorder.history()->columns.back();
  EXPECT_EQ(column.samples, 1u);
  EXPECT_EQ(column.count.back(), 1u);
}

TEST(OccupancyHistory, KeepsTwoMinutesAndNoMore) {
  OccupancyRecorder recorder;
  for (uint64_t i = 1; i <= 2000; ++i) recorder.add(i * kColumn, samples(i, 0));
  const auto& columns = recorder.history()->columns;
  EXPECT_EQ(columns.back().end_ns, 2000 * kColumn);
  EXPECT_EQ(columns.size(), OccupancyRecorder::kColumns);
  EXPECT_GE(columns.back().end_ns - columns.front().end_ns, 120'000'000'000u);
  for (size_t i = 1; i < columns.size(); ++i)
    ASSERT_EQ(columns[i].end_ns, columns[i - 1].end_ns + kColumn);
}

TEST(OccupancyHistory, ALongPauseIsAGap) {
  OccupancyRecorder recorder;
  recorder.add(kColumn, samples(0, 0));
  recorder.add(2 * kColumn, samples(10, 0));
  recorder.add(50 * kColumn, samples(500, 500));
  recorder.add(51 * kColumn, samples(500, 510));
  const auto& columns = recorder.history()->columns;
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[1].end_ns, 51 * kColumn);
  EXPECT_EQ(columns[1].samples, 10u);
}

TEST(OccupancyHistory, AnotherSourceBeginsAtItsOwnCounts) {
  OccupancyRecorder recorder;
  recorder.add(kColumn, samples(0, 0));
  recorder.add(2 * kColumn, samples(200, 0));
  recorder.change_source();
  EXPECT_TRUE(recorder.due(2 * kColumn + 1));
  recorder.add(2 * kColumn + 1, samples(3, 0));
  recorder.add(3 * kColumn + 1, samples(4, 1));
  const auto& columns = recorder.history()->columns;
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[1].samples, 2u);
}

TEST(OccupancyHistory, ManySamplesFitIntoAColumn) {
  const OccupancyColumn few = column_of(1, samples(65'000, 1));
  EXPECT_EQ(few.count.front(), 65'000u);
  EXPECT_EQ(few.samples, 65'001u);
  const OccupancyColumn many = column_of(1, samples(4'000'000'000, 1));
  EXPECT_EQ(many.count.front(), 65'535u);
  EXPECT_EQ(many.count.back(), 1u) << "what was seen stays";
  EXPECT_EQ(many.samples, 65'536u);
}

}  // namespace
}  // namespace pipetop::observe
