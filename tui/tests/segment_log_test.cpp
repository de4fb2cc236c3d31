#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "tui/dashboard/layout.h"
#include "tui/tests/profiles.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/pages.h"

namespace pipetop::tui {
namespace {

std::shared_ptr<const Segment> segment(uint32_t number, std::string key, std::string label,
                                       double rate) {
  Segment s;
  s.number = number;
  s.key = std::move(key);
  s.label = std::move(label);
  s.duration_ns = 12 * kSecond;
  s.rate = Reading<RateStats>::of({rate, rate + .1, 2, rate, rate, 100, .25});
  s.occupancy = example_snapshot().ring.occupancy;
  for (SegmentRole& role : s.roles) {
    role.shares.blocked = Reading<double>::of(.15);
    role.functions = Reading<FunctionTable>::of(writing());
  }
  return std::make_shared<const Segment>(s);
}

Snapshot snapshot_with_log() {
  Snapshot s = example_snapshot();
  s.throughput.segments = {segment(1, "", "start", 3.7),
                           segment(2, "v", "write_with vmsplice", 12.95)};
  s.throughput.current.number = 3;
  s.throughput.current.key = "s";
  s.throughput.current.label = "read_with splice";
  s.throughput.current.duration_ns = 2 * kSecond;
  return s;
}

Lines screen(int rows, int cols, const Snapshot& s, const DashboardState& state = {}) {
  Canvas canvas(glyphs_of(GlyphSet::unicode), rows, cols);
  const Layout layout = make_layout(rows, cols, s.requested);
  draw_segment_log(canvas, layout.border(), layout.page,
                   {s, state.reference, state.hottest, state.log.scroll});
  Lines lines;
  for (int r = 0; r < rows; ++r) {
    if (!canvas.line(r).empty()) lines.push_back(canvas.line(r));
  }
  return lines;
}

TEST(SegmentLog, NewestFirstOnOneLineWhereThereIsRoom) {
  const Lines lines = screen(40, 160, snapshot_with_log());
  EXPECT_NE(lines[0].find("segments · 3"), std::string::npos);
  EXPECT_NE(lines[2].find(" now  s    read_with splice "), std::string::npos) << lines[2];
  EXPECT_NE(lines[2].find("2.0   62.1   62.1  0.40   ×4.8     42    40   25         …   …"),
            std::string::npos)
      << lines[2];
  EXPECT_NE(
      lines[3].find("12.0   12.9   13.0  0.25   ×3.5     42    40   25        15  15 40 copy"),
      std::string::npos)
      << lines[3];
  EXPECT_NE(lines[4].find(" 3.70   3.80  0.25            42"), std::string::npos)
      << "nothing was before" << lines[4];
}

TEST(SegmentLog, TwoLinesWhenNarrow) {
  const Lines lines = screen(24, 80, snapshot_with_log());
  EXPECT_EQ(lines[3],
            "│  now  s    read_with splice                  2.0   62.1   62.1  0.40   ×4.8  │");
  EXPECT_EQ(lines[4],
            "│          42    40   25         …   … 40 mutex_spin_on_… 40 mutex_spin_on_…   │");
  EXPECT_EQ(lines[7],
            "│    1       start                            12.0   3.70   3.80  0.25         │");
  const Lines smallest = screen(16, 60, snapshot_with_log());
  EXPECT_EQ(smallest[2], " now  s    read_with spl…    2.0   62.1   62.1  0.40   ×4.8");
  EXPECT_EQ(smallest.size(), 6u);
}

TEST(SegmentLog, UnknownIsNotZero) {
  Snapshot s = snapshot_with_log();
  s.throughput.current.rate = {};
  s.ring.occupancy = Reading<Occupancy>::unavailable("no BPF");
  const Lines lines = screen(24, 80, s);
  EXPECT_NE(lines[3].find("2.0      …      …     …"), std::string::npos) << lines[3];
  EXPECT_NE(lines[4].find("n/a   n/a  n/a"), std::string::npos) << lines[4];
}

TEST(SegmentLog, ScrollsToTheOldest) {
  const Snapshot s = snapshot_with_log();
  const Layout large = make_layout(24, 80), small = make_layout(16, 60);
  EXPECT_EQ(log_scroll_end(large.border(), large.page, s), 0);
  EXPECT_EQ(log_scroll_end(small.border(), small.page, s), 1);
  DashboardState state;
  state.log.scroll = 1;
  EXPECT_NE(screen(16, 60, s, state)[2].find("   2  v    write_with"), std::string::npos);
}

TEST(SegmentLog, MarksWhatIsFrozenAsA) {
  DashboardState state;
  state.reference = {segment(2, "v", "write_with vmsplice", 12.95), true};
  EXPECT_NE(screen(40, 160, snapshot_with_log(), state)[3].find("   2A v"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::tui
