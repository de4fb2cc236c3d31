#include "engine/model/functions.h"

#include <gtest/gtest.h>

namespace pipetop {
namespace {

constexpr uint32_t kRoot = CallNode::kNone;
const Function kOuter("outer"), kMiddle("middle"), kLeaf("leaf"), kUser("[user]");

using Names = std::vector<std::string_view>;
Names names_of(const std::vector<FunctionRow>& rows) {
  Names names;
  for (const FunctionRow& row : rows) names.push_back(row.name);
  return names;
}

TEST(Function, HasOneNumberForItsName) {
  EXPECT_EQ(Function(std::string("leaf")), kLeaf);
  EXPECT_NE(Function("leaf.isra.0"), kLeaf);
  EXPECT_LT(kLeaf.number(), Function::count());
  EXPECT_EQ(kLeaf.name(), "leaf");
}

TEST(Function, ItsNameStaysWhenOthersCome) {
  const std::string_view name = kLeaf.name();
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(Function("f" + std::to_string(i)).name().front(), 'f');
  EXPECT_EQ(kLeaf.name().data(), name.data());
}

TEST(FunctionRows, ARecursionCountsOnce) {
  CallTree tree;
  tree.nodes = {{kMiddle, kRoot, 0, 5},
                {kLeaf, 0, 1, 5},
                {kMiddle, 1, 0, 4},
                {kLeaf, 2, 0, 4},
                {kMiddle, 3, 4, 4}};
  const auto rows = function_rows(tree);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "middle");
  EXPECT_EQ(rows[0].self_samples, 4u);
  EXPECT_EQ(rows[0].children_samples, 5u);
  EXPECT_EQ(rows[1].name, "leaf");
  EXPECT_EQ(rows[1].self_samples, 1u);
  EXPECT_EQ(rows[1].children_samples, 5u);
}

TEST(FunctionRows, ComeBySelfThenChildren) {
  CallTree tree;
  tree.nodes = {{kOuter, kRoot, 0, 2}, {kMiddle, 0, 0, 2}, {kLeaf, 1, 2, 2}, {kUser, kRoot, 3, 3}};
  EXPECT_EQ(names_of(function_rows(tree)), (Names{"[user]", "leaf", "middle", "outer"}));
}

TEST(FlatTree, HasTheSameRows) {
  const std::vector<FunctionRow> rows = {{"[user]", 3, 3}, {"leaf", 2, 2}, {"outer", 0, 2}};
  const auto tree = flat_tree(rows);
  EXPECT_FALSE(tree->paths);
  EXPECT_EQ(tree->total, 5u);
  EXPECT_EQ(names_of(function_rows(*tree)), names_of(rows));
  EXPECT_EQ(function_rows(*tree)[2].children_samples, 2u);
}

std::string cost_of(double share, double low, double high) {
  SamplingEvent event;
  event.set_price(Reading<Price>::of({share, low, high}));
  return event.cost();
}

// As a recording that somebody made may say it.
TEST(FunctionTable, AnySpanHasATimeUntilItIsExact) {
  FunctionTable table;
  table.samples = 10;
  table.span_ns = 1'000;
  EXPECT_GT(table.ns_until_exact(), table.span_ns);
  table.span_ns = UINT64_MAX;
  EXPECT_EQ(table.ns_until_exact(), 1ull << 63);
}

TEST(SamplingEvent, APriceIsClaimedOnlyIfItsIntervalLeavesOutTwoPercent) {
  EXPECT_EQ(cost_of(0.04, 0.025, 0.055), ", costs 4.0 % [2.5 .. 5.5]");
  EXPECT_EQ(cost_of(0.04, 0.015, 0.065), ", costs <7 %");
  EXPECT_EQ(cost_of(0.004, 0.001, 0.007), ", costs <1 %");
  EXPECT_EQ(cost_of(-0.05, -0.08, -0.02), ", speeds it up");
  SamplingEvent unknown;
  unknown.set_price(Reading<Price>::warming("too early"));
  EXPECT_EQ(unknown.cost(), "");
}

}  // namespace
}  // namespace pipetop
