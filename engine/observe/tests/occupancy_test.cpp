#include "engine/observe/occupancy.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numeric>

#include "engine/tests/support/test_pipe.h"

namespace pipetop::observe {
namespace {

TEST(Occupancy, EmptyAndFullHaveBinsOfTheirOwn) {
  OccupancyCounts counts;
  counts.add(0, 16, 5);
  counts.add(16, 16, 5);
  counts.add(16, 16, 5);
  counts.add(8, 16, 5);
  const auto got = occupancy_of(counts, "test");
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->samples, 4u);
  EXPECT_DOUBLE_EQ(got->empty_share, 0.25);
  EXPECT_DOUBLE_EQ(got->full_share, 0.5);
  EXPECT_NEAR(got->mean_share, 2.5 / 4, 0.02);
  EXPECT_DOUBLE_EQ(got->histogram[17], 0.25);
}

TEST(Occupancy, EverySampleFallsIntoABin) {
  for (const uint32_t slots : {1u, 2u, 7u, 16u, 32u, 33u, 256u, 4096u, 1u << 19}) {
    OccupancyCounts counts;
    uint32_t samples = 0;
    for (uint32_t used = 0; used <= slots; used += std::max(1u, slots / 997), ++samples)
      counts.add(used, slots, 1000);
    EXPECT_EQ(counts.points, samples) << slots;
    EXPECT_EQ(counts.still.ns.front(), 1000u) << slots;
    EXPECT_LE(counts.still.ns.back(), 1000u) << slots;
    const auto got = occupancy_of(counts, "test");
    EXPECT_NEAR(std::accumulate(got->histogram.begin(), got->histogram.end(), 0.0), 1.0, 1e-9);
  }
}

TEST(Occupancy, ImpossibleSamplesAreDropped) {
  OccupancyCounts counts;
  counts.add(17, 16, 5);
  counts.add(0, 0, 5);
  EXPECT_EQ(counts.points, 0u);
  EXPECT_EQ(occupancy_of(counts, "test").status, ReadingStatus::warming);
}

// Both roles run, which nobody saw, but for a tenth of that time.
TEST(Occupancy, WhatWasSeenStandsForTheTimeInWhichBothRan) {
  OccupancyCounts counts;
  counts.still.add(0, 1'000'000);
  counts.both.ns = 3'000'000;
  EXPECT_EQ(occupancy_of(counts, "test").status, ReadingStatus::warming);
  counts.both.sampled.add(OccupancyCounts::kShareOne, 200'000);
  counts.both.sampled.add(OccupancyCounts::kShareOne / 2, 100'000);
  const auto got = occupancy_of(counts, "test");
  ASSERT_TRUE(got.has_value()) << got.reason;
  EXPECT_DOUBLE_EQ(got->empty_share, 0.25);
  EXPECT_DOUBLE_EQ(got->full_share, 0.5);
  EXPECT_DOUBLE_EQ(std::accumulate(got->histogram.begin(), got->histogram.end(), 0.0), 1.0);
  EXPECT_NEAR(got->mean_share, 0.5 + 0.25 / 2, 1e-4);
}

TEST(Occupancy, ALittleUnseenTimeIsLeftOut) {
  OccupancyCounts counts;
  counts.still.add(0, 1'000'000);
  counts.both.ns = 100'000;
  const auto got = occupancy_of(counts, "test");
  ASSERT_TRUE(got.has_value()) << got.reason;
  EXPECT_DOUBLE_EQ(got->empty_share, 1.0);
}

// Several CPUs count while we read.
TEST(Occupancy, ADifferenceNeverWraps) {
  OccupancyCounts before, now;
  before.still.add(0, 100);
  now.still.add(OccupancyCounts::kShareOne, 50);
  const OccupancyCounts since = now.since(before);
  EXPECT_EQ(since.still.ns.front(), 0u);
  EXPECT_EQ(since.still.ns.back(), 50u);
}

TEST(FionreadOccupancy, SamplesTenTimesASecondAndNoMore) {
  TestPipe pipe{O_NONBLOCK};
  pipe.fill();
  FionreadOccupancy occupancy(pipe.out.get());
  EXPECT_EQ(occupancy.reading({}).status, ReadingStatus::warming);
  for (uint64_t ms = 1; ms <= 1000; ++ms) occupancy.poll(ms * 1'000'000);
  const auto got = occupancy.reading({});
  ASSERT_TRUE(got.has_value()) << got.reason;
  EXPECT_EQ(got->samples, 10u);
  EXPECT_EQ(got->source, "FIONREAD 10 Hz");
  EXPECT_DOUBLE_EQ(got->full_share, 1.0);
  EXPECT_EQ(occupancy.reading(occupancy.counts()).status, ReadingStatus::warming);
}

TEST(FionreadOccupancy, SaysWhenThereIsNoPipe) {
  FionreadOccupancy occupancy(-1);
  occupancy.poll(1);
  EXPECT_EQ(occupancy.reading({}).status, ReadingStatus::unavailable);
  EXPECT_NE(occupancy.reading({}).reason, "");
}

}  // namespace
}  // namespace pipetop::observe
