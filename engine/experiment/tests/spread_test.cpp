#include "engine/experiment/spread.h"

#include <gtest/gtest.h>

namespace pipetop {
namespace {

TEST(Spread, IsThatOfNumpyAndPandas) {
  const Spread s = spread_of({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(s.median, 2.5);
  EXPECT_DOUBLE_EQ(s.lower, 1.75);
  EXPECT_DOUBLE_EQ(s.upper, 3.25);
  EXPECT_EQ(s.least, 1);
  EXPECT_EQ(s.most, 4);
  EXPECT_EQ(s.count, 4u);
}

TEST(Spread, OfOneFigureIsThatFigure) {
  const Spread s = spread_of({7});
  EXPECT_EQ(s.median, 7);
  EXPECT_EQ(s.lower, 7);
  EXPECT_EQ(s.upper, 7);
  EXPECT_EQ(s.count, 1u);
}

}  // namespace
}  // namespace pipetop
