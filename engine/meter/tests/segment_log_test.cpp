#include <gtest/gtest.h>

#include "engine/meter/rate_meter.h"

namespace pipetop {
namespace {

Segment segment(uint32_t number) {
  Segment s;
  s.number = number;
  s.items = 1000 + number;
  FunctionTable table;
  table.samples = 10;
  auto tree = std::make_shared<CallTree>();
  tree->nodes = {{Function("pipe_write"), CallNode::kNone, 10, 10}};
  table.tree = tree;
  for (SegmentRole& role : s.roles) role.functions = Reading<FunctionTable>::of(table);
  return s;
}

Throughput view_of(const SegmentLog& log) {
  Throughput view;
  log.describe(view);
  return view;
}

const Reading<FunctionTable>& functions_of(const Throughput& view, size_t back) {
  return view.segments[view.segments.size() - 1 - back]->role(Role::reader).functions;
}

TEST(SegmentLog, KnowsNothingAtFirst) {
  const Throughput view = view_of(SegmentLog());
  EXPECT_FALSE(view.previous);
  EXPECT_TRUE(view.segments.empty());
}

TEST(SegmentLog, KeepsTheOldestFirst) {
  SegmentLog log;
  for (const uint32_t number : {1, 2, 3}) log.add(segment(number));
  const Throughput view = view_of(log);
  ASSERT_EQ(view.segments.size(), 3u);
  EXPECT_EQ(view.segments[0]->number, 1u);
  EXPECT_EQ(view.previous->number, 3u);
  EXPECT_EQ(view.previous, view.segments[2]);
  EXPECT_TRUE(functions_of(view, 0)->tree->paths);
}

TEST(SegmentLog, IsBounded) {
  SegmentLog log;
  const uint32_t count = SegmentLog::kKept + 50;
  for (uint32_t number = 1; number <= count; ++number) log.add(segment(number));
  const Throughput view = view_of(log);
  ASSERT_EQ(view.segments.size(), SegmentLog::kKept);
  EXPECT_EQ(view.segments.front()->number, 51u);
  EXPECT_EQ(view.segments.front()->items, 1051u);
  EXPECT_EQ(view.previous->number, count);
}

TEST(SegmentLog, OldOnesLoseTheirTreesThenTheirTables) {
  SegmentLog log;
  for (uint32_t number = 1; number <= 100; ++number) log.add(segment(number));
  const Throughput view = view_of(log);
  EXPECT_TRUE(functions_of(view, SegmentLog::kWithTrees - 1)->tree->paths);
  EXPECT_FALSE(functions_of(view, SegmentLog::kWithTrees)->tree->paths);
  EXPECT_EQ(functions_of(view, SegmentLog::kWithFunctions - 1)->rows().size(), 1u);
  EXPECT_EQ(functions_of(view, SegmentLog::kWithFunctions).status, ReadingStatus::unavailable);
  EXPECT_NE(functions_of(view, 99).reason, "");
}

// A screen may compare with a segment for as long as it likes.
TEST(SegmentLog, WhoeverHoldsASegmentHasAllOfIt) {
  SegmentLog log;
  log.add(segment(1));
  const auto held = view_of(log).previous;
  for (uint32_t number = 2; number <= 100; ++number) log.add(segment(number));
  EXPECT_TRUE(held->role(Role::writer).functions->tree->paths);
}

}  // namespace
}  // namespace pipetop
