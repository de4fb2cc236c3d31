#include "engine/meter/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pipetop {
namespace {

// The figures are numpy's: np.quantile(values, share).

TEST(Statistics, TheMedianOfTwoLiesBetweenThem) {
  EXPECT_DOUBLE_EQ(median({1, 2}), 1.5);
  EXPECT_DOUBLE_EQ(median({2, 1}), 1.5);
  EXPECT_DOUBLE_EQ(median({9, 1, 2}), 2);
}

TEST(Statistics, AQuantileIsInterpolated) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.75), 3.25);
  EXPECT_DOUBLE_EQ(quantile({15, 20, 35, 40, 50}, 0.4), 29);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
}

TEST(Statistics, NothingHasNoMedian) {
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(quantile({}, 1)));
}

TEST(Statistics, TheSpreadIsThatOfNumpyAndPandas) {
  const Spread s = spread_of({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(s.median, 2.5);
  EXPECT_DOUBLE_EQ(s.lower, 1.75);
  EXPECT_DOUBLE_EQ(s.upper, 3.25);
  EXPECT_EQ(s.least, 1);
  EXPECT_EQ(s.most, 4);
  EXPECT_EQ(s.count, 4u);
}

TEST(Statistics, TheSpreadOfOneValueIsThatValue) {
  const Spread s = spread_of({7});
  EXPECT_EQ(s.median, 7);
  EXPECT_EQ(s.lower, 7);
  EXPECT_EQ(s.upper, 7);
  EXPECT_EQ(s.count, 1u);
}

}  // namespace
}  // namespace pipetop
