#include <gtest/gtest.h>

#include "engine/observe/sched_reader.h"
#include "engine/observe/ticks.h"

namespace pipetop::observe {
namespace {

TEST(TickCost, BothRolesPayForATick) {
  EXPECT_DOUBLE_EQ(price_of(999, 14'000), 2 * 999 * 14e-6);
  EXPECT_DOUBLE_EQ(price_of(999, 14'000, 0.1), 0.1 * 2 * 999 * 14e-6);
  EXPECT_DOUBLE_EQ(price_of(10'000, 1e6), 1) << "all of it at most";
}

// However long a run takes: a fast one, and one of an emulated CPU.
TEST(PriceOfRuns, IsInsideItsInterval) {
  for (const double run_ns : {40.0, 250.0, 5'000.0}) {
    const Price price = price_of_runs(100'000, run_ns);
    EXPECT_NEAR(price.share - price.low, price.high - price.share, 1e-9);
    EXPECT_GT(price.share, price.low);
    EXPECT_LT(price.high, 1);
  }
}

TEST(TickCost, TheHighestFrequencyForHalfAPercent) {
  EXPECT_EQ(affordable_hz(7'000), 349u);
  EXPECT_EQ(affordable_hz(8'340), 299u);
  EXPECT_EQ(affordable_hz(10'000), 249u);
  EXPECT_EQ(affordable_hz(1'000), 999u) << "and no more";
  EXPECT_EQ(affordable_hz(1e6), 49u) << "and no less";
  EXPECT_EQ(affordable_hz(20'000, 0.1), 999u);
  EXPECT_EQ(affordable_hz(50'000, 0.1), 499u);
}

TEST(TickCost, AThousandSamplesInFiveSecondsMayCostOnePercent) {
  EXPECT_EQ(affordable_hz(20'000), 199u) << "0.8 %, where half a per cent would be 99 Hz";
  EXPECT_EQ(affordable_hz(40'000), 99u) << "1 % would be 125 Hz";
}

TEST(TickCost, EveryChoiceIsWithinThePrice) {
  for (double tick_ns = 500; tick_ns < 1e6; tick_ns *= 1.01) {
    const uint32_t hz = affordable_hz(tick_ns);
    EXPECT_EQ(hz % 50, 49u);
    if (hz > kLeastAutoHz) {
      EXPECT_LE(price_of(hz, tick_ns), hz > 200 ? 0.005 : 0.01);
    }
    if (hz < kMostAutoHz) {
      EXPECT_GT(price_of(hz + 50, tick_ns), 0.005);
    }
  }
}

}  // namespace
}  // namespace pipetop::observe
