#include <gtest/gtest.h>

#include "engine/workload/percpu/percpu_workload.h"

namespace pipetop::percpu {
namespace {

TEST(ParallelClock, DividesWhatSeveralAddedTogether) {
  ParallelClock clock;
  EXPECT_EQ(clock.at(100), 100u);
  clock.share(2, 100);
  EXPECT_EQ(clock.at(100), 100u);
  EXPECT_EQ(clock.at(300), 200u);
  clock.share(4, 300);
  EXPECT_EQ(clock.at(700), 300u);
}

TEST(ParallelClock, StandsAndNeverGoesBackWhenNobodyIsLeft) {
  ParallelClock clock;
  clock.share(2, 0);
  clock.share(0, 100);
  EXPECT_EQ(clock.at(100), 50u);
  clock.share(1, 100);
  EXPECT_EQ(clock.at(101), 51u);
}

}  // namespace
}  // namespace pipetop::percpu
