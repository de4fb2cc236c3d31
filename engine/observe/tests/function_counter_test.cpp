#include "engine/observe/function_counter.h"

#include <gtest/gtest.h>

#include <map>

namespace pipetop::observe {
namespace {

using Stack = std::vector<FunctionId>;

std::map<FunctionId, std::pair<uint64_t, uint64_t>> counts(const FunctionCounter& counter) {
  std::map<FunctionId, std::pair<uint64_t, uint64_t>> counts;
  for (const auto& row : counter.rows()) counts[row.function] = {row.self, row.children};
  return counts;
}

TEST(FunctionCounter, CountsSelfAndChildren) {
  FunctionCounter counter(0);
  counter.add(1, Stack{1, 2, 3});
  counter.add(2, Stack{1, 3});
  counter.add(3, Stack{3});
  EXPECT_EQ(counter.samples(), 3u);
  const auto got = counts(counter);
  EXPECT_EQ(got.at(1), std::pair(2ul, 2ul));
  EXPECT_EQ(got.at(2), std::pair(0ul, 1ul));
  EXPECT_EQ(got.at(3), std::pair(1ul, 3ul));
}

TEST(FunctionCounter, CountsARecursionOnce) {
  FunctionCounter counter(0);
  counter.add(1, Stack{5, 6, 5, 6, 5});
  const auto got = counts(counter);
  EXPECT_EQ(got.at(5), std::pair(1ul, 1ul));
  EXPECT_EQ(got.at(6), std::pair(0ul, 1ul));
}

TEST(FunctionCounter, RowsComeBySelfThenChildren) {
  FunctionCounter counter(0);
  counter.add(1, Stack{7, 8, 9});
  counter.add(1, Stack{7, 9});
  counter.add(1, Stack{4, 9});
  const auto rows = counter.rows();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].function, 7u);
  EXPECT_EQ(rows[1].function, 4u);
  EXPECT_EQ(rows[2].function, 9u);
  EXPECT_EQ(rows[3].function, 8u);
}

TEST(FunctionCounter, ASampleLeavesWithTheWindow) {
  FunctionCounter counter(100);
  counter.add(10, Stack{1, 2});
  counter.add(60, Stack{3, 2});
  counter.expire(110);  // as old as the window is still in it
  EXPECT_EQ(counter.samples(), 2u);
  counter.expire(111);
  EXPECT_EQ(counter.samples(), 1u);
  const auto got = counts(counter);
  EXPECT_FALSE(got.contains(1));
  EXPECT_EQ(got.at(2), std::pair(0ul, 1ul));
  counter.expire(1000);
  EXPECT_EQ(counter.samples(), 0u);
  EXPECT_TRUE(counter.rows().empty());
}

TEST(FunctionCounter, WithoutAWindowNothingLeaves) {
  FunctionCounter counter(0);
  counter.add(10, Stack{1});
  counter.expire(~uint64_t{0});
  EXPECT_EQ(counter.samples(), 1u);
}

TEST(FunctionCounter, ClearForgetsTheWindowToo) {
  FunctionCounter counter(100);
  counter.add(10, Stack{1});
  counter.clear();
  counter.add(20, Stack{2});
  counter.expire(111);
  EXPECT_EQ(counter.samples(), 1u);
  EXPECT_EQ(counts(counter).at(2), std::pair(1ul, 1ul));
}

// What is added and taken away again must agree with counting the window anew.
TEST(FunctionCounter, RollingEqualsRecounting) {
  constexpr uint64_t kWindow = 50;
  FunctionCounter rolling(kWindow);
  std::vector<std::pair<uint64_t, Stack>> all;
  uint32_t state = 7;
  const auto random = [&](uint32_t n) {
    return (state = state * 1664525u + 1013904223u) >> 16 % n;
  };
  for (uint64_t now = 1; now < 1000; ++now) {
    Stack stack;
    for (uint32_t depth = random(8) % 8; depth-- > 0 || stack.empty();)
      stack.push_back(random(12) % 12);
    rolling.add(now, stack);
    rolling.expire(now);
    all.emplace_back(now, stack);
    FunctionCounter anew(0);
    for (const auto& [at, old] : all)
      if (at + kWindow >= now) anew.add(at, old);
    ASSERT_EQ(rolling.samples(), anew.samples());
    ASSERT_EQ(counts(rolling), counts(anew)) << now;
  }
}

}  // namespace
}  // namespace pipetop::observe
