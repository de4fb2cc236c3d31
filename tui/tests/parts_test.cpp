#include <gtest/gtest.h>

#include "tui/tests/snapshots.h"
#include "tui/widgets/workers.h"

namespace pipetop::tui {
namespace {

Snapshot with_pairs(int count) {
  Snapshot s = example_snapshot();
  for (int i = 1; i <= count; ++i) {
    PartReadings part;
    part.name = "pair " + std::to_string(i);
    part.pid = 800 + i;
    part.cpu = Reading<int>::of(i % 2);
    part.rate = Reading<double>::of(i);
    s.parts.push_back(part);
  }
  return s;
}

Lines panel(const Snapshot& s, int rows, int cols = 50) {
  return drawn(rows, cols, [&](const Area& area) { draw_parts(area, s); });
}

TEST(Parts, EachHasARowAndTheTotalIsTheirSum) {
  const Lines lines = panel(with_pairs(3), 10);
  EXPECT_EQ(lines[0], "pair    pid      cpu    GiB/s");
  EXPECT_TRUE(lines[1].starts_with("pair 1  801      1       1.00 ")) << lines[1];
  EXPECT_TRUE(lines[3].starts_with("pair 3  803      1       3.00 ")) << lines[3];
  EXPECT_EQ(lines[4], "total                    6.00");
}

TEST(Parts, WhatIsUnknownIsNotZero) {
  Snapshot s = with_pairs(2);
  s.parts[1].rate = Reading<double>::warming("no interval measured yet");
  s.parts[1].cpu = Reading<int>::warming("not sampled yet");
  s.figures = {
      {"cached", "cached_share", FigureKind::share, Reading<double>::warming("nobody has looked")},
      {"memory per rule", "bytes", FigureKind::bytes, Reading<double>::of(128)}};
  const Lines lines = panel(s, 12);
  EXPECT_EQ(lines[0], "cached           nobody has looked");
  EXPECT_EQ(lines[1], "memory per rule  128 B");
  EXPECT_EQ(lines[5], "pair 2  802      …          …");
  EXPECT_EQ(lines[6], "total                       …");
}

TEST(Parts, ThoseThatHaveNoRoomAreCounted) {
  const Lines lines = panel(with_pairs(16), 8);
  EXPECT_EQ(lines[6], "and 11 more");
  EXPECT_TRUE(lines[7].starts_with("total"));
  const Lines two = panel(with_pairs(2), 3);
  EXPECT_TRUE(two[0].starts_with("pair 1")) << two[0] << ": they matter more than the heading";
  EXPECT_TRUE(two[1].starts_with("pair 2")) << two[1];
  EXPECT_TRUE(two[2].starts_with("total")) << two[2];
}

TEST(Parts, StandInTheRingsPlaceWhenThereAreSeveral) {
  DashboardState state;
  EXPECT_FALSE(shows_parts(with_pairs(1), state));
  EXPECT_TRUE(shows_parts(with_pairs(2), state));
  state.parts = false;
  EXPECT_FALSE(shows_parts(with_pairs(2), state));
  Snapshot without_ring = with_pairs(1);
  without_ring.requested.workload = WorkloadKind::percpu;
  EXPECT_TRUE(shows_parts(without_ring, state)) << "there is nothing else to show";
}

}  // namespace
}  // namespace pipetop::tui
