#include "engine/observe/occupancy.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numeric>

#include "engine/observe/tests/scratch_pipe.h"

namespace pipetop::observe {
namespace {

TEST(Occupancy, EmptyAndFullHaveBinsOfTheirOwn) {
  OccupancyCounts counts;
  counts.add(0, 16);
  counts.add(16, 16);
  counts.add(16, 16);
  counts.add(8, 16);
  const auto got = occupancy_of(counts, "test");
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->samples, 4u);
  EXPECT_DOUBLE_EQ(got->empty_share, 0.25);
  EXPECT_DOUBLE_EQ(got->full_share, 0.5);
  EXPECT_DOUBLE_EQ(got->mean_share, 2.5 / 4);
  EXPECT_DOUBLE_EQ(got->histogram[17], 0.25);
}

TEST(Occupancy, EverySampleFallsIntoABin) {
  for (const uint32_t slots : {1u, 2u, 7u, 16u, 32u, 33u, 256u, 4096u, 1u << 19}) {
    OccupancyCounts counts;
    uint32_t samples = 0;
    for (uint32_t used = 0; used <= slots; used += std::max(1u, slots / 997), ++samples)
      counts.add(used, slots);
    EXPECT_EQ(counts.samples(), samples) << slots;
    EXPECT_EQ(counts.bins.front(), 1u) << slots;
    EXPECT_LE(counts.bins.back(), 1u) << slots;
    const auto got = occupancy_of(counts, "test");
    EXPECT_NEAR(std::accumulate(got->histogram.begin(), got->histogram.end(), 0.0), 1.0, 1e-9);
  }
}

TEST(Occupancy, ImpossibleSamplesAreDropped) {
  OccupancyCounts counts;
  counts.add(17, 16);
  counts.add(0, 0);
  EXPECT_EQ(counts.samples(), 0u);
  EXPECT_EQ(occupancy_of(counts, "test").status, ReadingStatus::warming);
}

OccupancyCounts samples(int empty, int full) {
  OccupancyCounts counts;
  while (empty-- > 0) counts.add(0, 16);
  while (full-- > 0) counts.add(16, 16);
  return counts;
}

TEST(Occupancy, ACpuThatSleptIsNoFairSample) {
  const std::vector before = {samples(10, 10), samples(1000, 0), samples(0, 0)};
  const std::vector now = {samples(110, 110), samples(1000, 80), samples(100, 99)};
  const OccupancyCounts sum = steady_samples(now, before);
  EXPECT_EQ(sum.bins.front(), 200u);
  EXPECT_EQ(sum.bins.back(), 199u);
  EXPECT_EQ(sum.used_sum, 199 * OccupancyCounts::kShareOne);
  EXPECT_EQ(steady_cpus(now, before), (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(steady_samples(before, before).samples(), 0u);
  EXPECT_EQ(steady_samples(now, {}).samples(), 1080u);
}

TEST(FionreadOccupancy, SamplesTenTimesASecondAndNoMore) {
  ScratchPipe pipe;
  pipe.fill();
  FionreadOccupancy occupancy(pipe.read_end());
  EXPECT_EQ(occupancy.reading().status, ReadingStatus::warming);
  for (uint64_t ms = 1; ms <= 1000; ++ms) occupancy.poll(ms * 1'000'000);
  const auto got = occupancy.reading();
  ASSERT_TRUE(got.has_value()) << got.reason;
  EXPECT_EQ(got->samples, 10u);
  EXPECT_EQ(got->source, "FIONREAD 10 Hz");
  EXPECT_DOUBLE_EQ(got->full_share, 1.0);
  occupancy.restart();
  EXPECT_EQ(occupancy.reading().status, ReadingStatus::warming);
}

TEST(FionreadOccupancy, SaysWhenThereIsNoPipe) {
  FionreadOccupancy occupancy(-1);
  occupancy.poll(1);
  EXPECT_EQ(occupancy.reading().status, ReadingStatus::unavailable);
  EXPECT_NE(occupancy.reading().reason, "");
}

}  // namespace
}  // namespace pipetop::observe
