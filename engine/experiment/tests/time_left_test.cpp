#include <gtest/gtest.h>

#include <array>

#include "engine/experiment/trial.h"

namespace pipetop {
namespace {

constexpr std::array<uint32_t, 2> kTwoAndOne = {2, 1};

TEST(TimeLeft, BeginsWithWhatIsExpected) {
  EXPECT_EQ(*TimeLeft(2, 1000).of(kTwoAndOne), 3000u);
  EXPECT_EQ(TimeLeft(2, 0).of(kTwoAndOne).status, ReadingStatus::warming);
}

TEST(TimeLeft, TakesOneKindForAnotherUntilItKnowsBetter) {
  TimeLeft left(2, 0);
  left.add(0, 100);
  left.add(0, 200);
  EXPECT_EQ(*left.of(kTwoAndOne), 450u);
  left.add(1, 6000);
  EXPECT_EQ(*left.of(kTwoAndOne), 6300u);
}

TEST(TimeLeft, OfNothingIsNone) {
  EXPECT_EQ(*TimeLeft(2, 1000).of(std::array<uint32_t, 2>{0, 0}), 0u);
}

}  // namespace
}  // namespace pipetop
