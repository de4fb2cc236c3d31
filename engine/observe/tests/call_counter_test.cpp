#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "engine/observe/call_trees.h"

namespace pipetop::observe {
namespace {

using Stack = std::vector<Function>;  // the running function first

// Each function is named by a digit: "31".
Stack stack(std::string_view digits) {
  Stack stack;
  for (size_t i = 0; i < digits.size(); ++i) stack.emplace_back(digits.substr(i, 1));
  return stack;
}

void add(CallCounter& counter, uint64_t at_ns, const Stack& stack, uint32_t ns = 1'000'000) {
  counter.add(at_ns, counter.place_of(stack), ns);
}

struct Weights {
  uint64_t self = 0, children = 0;
  bool operator==(const Weights&) const = default;
};

// By name, or by the chain of calls, outermost first.
using ByName = std::map<std::string, Weights>;

ByName rows_of(const FunctionTable& table) {
  ByName rows;
  for (const FunctionRow& row : table.rows())
    EXPECT_TRUE(rows.emplace(row.name, Weights{row.self_samples, row.children_samples}).second);
  return rows;
}

ByName nodes_of(const FunctionTable& table) {
  ByName nodes;
  std::vector<std::string> chains;
  for (const CallNode& node : table.tree->nodes) {
    const std::string name(node.function.name());
    chains.push_back(node.parent == CallNode::kNone ? name : chains.at(node.parent) + name);
    EXPECT_TRUE(nodes.emplace(chains.back(), Weights{node.self, node.total}).second);
  }
  return nodes;
}

// The same by counting every stack anew.
ByName rows_by_hand(const std::vector<Stack>& stacks) {
  ByName rows;
  for (const Stack& stack : stacks) {
    ++rows[std::string(stack.front().name())].self;
    std::set<std::string> names;
    for (const Function function : stack) names.emplace(function.name());
    for (const std::string& name : names) ++rows[name].children;
  }
  return rows;
}

ByName nodes_by_hand(const std::vector<Stack>& stacks) {
  ByName nodes;
  for (const Stack& stack : stacks) {
    std::string chain;
    for (size_t i = stack.size(); i-- > 0;) {
      chain += stack[i].name();
      ++nodes[chain].children;
    }
    ++nodes[chain].self;
  }
  return nodes;
}

void expect_weights_add_up(const FunctionTable& table) {
  const CallTree& tree = *table.tree;
  std::vector<uint64_t> of_children(tree.nodes.size());
  uint64_t of_roots = 0;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const CallNode& node = tree.nodes[i];
    EXPECT_GT(node.total, 0u);
    if (node.parent != CallNode::kNone) {
      ASSERT_LT(node.parent, i);
    }
    (node.parent == CallNode::kNone ? of_roots : of_children[node.parent]) += node.total;
  }
  for (size_t i = 0; i < tree.nodes.size(); ++i)
    EXPECT_EQ(tree.nodes[i].total, tree.nodes[i].self + of_children[i]);
  EXPECT_EQ(of_roots, table.samples);
  EXPECT_EQ(tree.total, table.samples);
}

void expect_equals_counting_anew(const CallCounter& counter, Span span,
                                 const std::vector<Stack>& stacks) {
  const FunctionTable table = counter.table(span);
  ASSERT_EQ(table.samples, stacks.size());
  ASSERT_EQ(rows_of(table), rows_by_hand(stacks));
  ASSERT_EQ(nodes_of(table), nodes_by_hand(stacks));
  expect_weights_add_up(table);
}

TEST(CallCounter, BothSpansEqualCountingAnew) {
  constexpr uint64_t kWindow = 50, kRestart = 600, kEnd = 1000;
  CallCounter counter(kWindow);
  std::minstd_rand random(7);
  std::vector<Stack> all, recent;
  std::vector<uint64_t> times;
  for (uint64_t now = 1, restarted = 0; now < kEnd; now += random() % 4) {
    if (now >= kRestart && restarted == 0) {
      restarted = now;
      counter.clear();
      all.clear();
      times.clear();
    }
    std::string digits(1 + random() % 8, '0');  // of few functions: many of them recurse
    for (char& digit : digits) digit = static_cast<char>('0' + random() % 5);
    add(counter, now, stack(digits));
    counter.expire(now);
    all.push_back(stack(digits));
    times.push_back(now);
    recent.clear();
    for (size_t i = 0; i < all.size(); ++i)
      if (times[i] + kWindow >= now) recent.push_back(all[i]);
    ASSERT_NO_FATAL_FAILURE(expect_equals_counting_anew(counter, Span::window, recent)) << now;
    ASSERT_NO_FATAL_FAILURE(expect_equals_counting_anew(counter, Span::segment, all)) << now;
  }
  EXPECT_GT(all.size(), recent.size());
}

TEST(CallCounter, ASampleLeavesWithTheWindow) {
  CallCounter counter(100);
  add(counter, 10, stack("12"));
  add(counter, 60, stack("32"));
  counter.expire(110);  // as old as the window is still in it
  EXPECT_EQ(counter.samples(Span::window), 2u);
  counter.expire(111);
  EXPECT_EQ(counter.samples(Span::window), 1u);
  EXPECT_EQ(nodes_of(counter.table(Span::window)), nodes_by_hand({stack("32")}));
  counter.expire(1000);
  EXPECT_EQ(counter.samples(Span::window), 0u);
  EXPECT_TRUE(counter.table(Span::window).tree->nodes.empty());
  EXPECT_EQ(counter.samples(Span::segment), 2u);
}

TEST(CallCounter, AWindowGrowsWhileSamplesAreFew) {
  CallCounter counter(100, 3);
  for (uint64_t at = 10; at <= 50; at += 10) add(counter, at, stack("1"));
  counter.expire(500);
  EXPECT_EQ(counter.samples(Span::window), 3u) << "the newest of five";
  add(counter, 500, stack("2"));
  counter.expire(500);
  EXPECT_EQ(nodes_of(counter.table(Span::window)),
            nodes_by_hand({stack("1"), stack("1"), stack("2")}));
  counter.expire(10 + 12 * 100 + 35);
  EXPECT_EQ(counter.samples(Span::window), 2u) << "12 times the window is the longest";
}

TEST(CallCounter, WithoutAWindowNothingLeaves) {
  CallCounter counter(0);
  add(counter, 10, stack("1"));
  counter.add_lost(10, 1);
  counter.expire(~uint64_t{0});
  EXPECT_EQ(counter.samples(Span::window), 1u);
  EXPECT_EQ(counter.table(Span::window).lost, 1u);
}

TEST(CallCounter, UserModeIsARootOfItsOwn) {
  CallCounter counter(0);
  add(counter, 1, {});
  add(counter, 2, stack("10"));
  EXPECT_EQ(nodes_of(counter.table(Span::window)),
            (ByName{{"[user]", {1, 1}}, {"0", {0, 1}}, {"01", {1, 1}}}));
}

TEST(CallCounter, LostSamplesLeaveWithTheWindowToo) {
  CallCounter counter(100);
  counter.add_lost(10, 3);
  counter.add_lost(60, 4);
  add(counter, 60, stack("1"));
  counter.expire(111);
  EXPECT_EQ(counter.table(Span::window).lost, 4u);
  EXPECT_EQ(counter.table(Span::segment).lost, 7u);
  counter.clear();
  counter.expire(1000);
  EXPECT_EQ(counter.table(Span::segment).lost, 0u);
}

// Half a second at 1000 Hz, then four at 50 Hz.
TEST(CallCounter, ASampleCountsByTheTimeThatItStandsFor) {
  CallCounter counter(0);
  for (uint64_t at = 1; at <= 500; ++at) add(counter, at, stack("1"), 1'000'000);
  for (uint64_t at = 501; at <= 700; ++at) add(counter, at, stack("2"), 20'000'000);
  const FunctionTable table = counter.table(Span::segment);
  expect_weights_add_up(table);
  EXPECT_EQ(table.samples, 700u);
  EXPECT_NEAR(table.share(rows_of(table)["1"].self), 0.5 / 4.5, 0.001);
  EXPECT_NEAR(table.share(rows_of(table)["2"].self), 4 / 4.5, 0.001);
  EXPECT_EQ(table.effective_samples(), 252u) << "4.5 s * 4.5 s / (500 ms * 1 ms + 4 s * 20 ms)";
}

TEST(CallCounter, AWindowOfUnequalSamplesIsEqualOnceTheOthersHaveLeft) {
  CallCounter counter(100);
  add(counter, 10, stack("1"), 1'000'000);
  add(counter, 60, stack("1"), 20'000'000);
  add(counter, 61, stack("2"), 20'000'000);
  EXPECT_LT(counter.table(Span::window).effective_samples(), 3u);
  counter.expire(111);
  EXPECT_EQ(counter.table(Span::window).effective_samples(), 2u);
  EXPECT_EQ(rows_of(counter.table(Span::window))["2"].self, 1u);
}

TEST(CallCounter, ClearForgetsTheWindowToo) {
  CallCounter counter(100);
  add(counter, 10, stack("1"));
  counter.clear();
  add(counter, 20, stack("2"));
  counter.expire(111);
  expect_equals_counting_anew(counter, Span::window, {stack("2")});
  expect_equals_counting_anew(counter, Span::segment, {stack("2")});
}

}  // namespace
}  // namespace pipetop::observe
