#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/experiment/ladder.h"

namespace pipetop {
namespace {

using Sequence = std::vector<size_t>;

TEST(LadderOrder, HasEveryRungOnce) {
  for (uint32_t round = 1; round <= 20; ++round) {
    Sequence order = ladder_order(7, 42, round);
    std::ranges::sort(order);
    EXPECT_EQ(order, (Sequence{0, 1, 2, 3, 4, 5, 6}));
  }
  EXPECT_EQ(ladder_order(1, 42, 1), Sequence{0});
}

TEST(LadderOrder, DependsOnSeedAndRoundAlone) {
  EXPECT_EQ(ladder_order(7, 42, 1), ladder_order(7, 42, 1));
  EXPECT_NE(ladder_order(7, 42, 1), ladder_order(7, 42, 2));
  EXPECT_NE(ladder_order(7, 42, 1), ladder_order(7, 43, 1));
  // As on any other machine, so that a seed can be told to somebody else.
  EXPECT_EQ(ladder_order(7, 42, 1), (Sequence{4, 5, 1, 2, 6, 3, 0}));
}

TEST(LadderOrder, PutsEveryRungEverywhere) {
  std::set<size_t> first, last;
  for (uint32_t round = 1; round <= 200; ++round) {
    first.insert(ladder_order(7, 1, round).front());
    last.insert(ladder_order(7, 1, round).back());
  }
  EXPECT_EQ(first.size(), 7u);
  EXPECT_EQ(last.size(), 7u);
}

}  // namespace
}  // namespace pipetop
