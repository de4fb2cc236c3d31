#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/base/clock.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

using Closed = std::vector<std::shared_ptr<const Segment>>;

Segment segment(uint32_t number, std::string key, std::string label, size_t preset, double rate) {
  Segment s;
  s.number = number;
  s.key = std::move(key);
  s.label = std::move(label);
  s.requested = built_in_presets()[preset].settings;
  s.duration_ns = 12 * kSecond;
  if (rate > 0) s.rate = Reading<RateStats>::of({rate, rate, 2, rate, rate, 100, .25});
  return s;
}

Closed closed(std::vector<Segment> segments) {
  Closed all;
  for (Segment& s : segments) all.push_back(std::make_shared<const Segment>(std::move(s)));
  return all;
}

TEST(Summary, HasALineForEachSegment) {
  const Closed before =
      closed({segment(1, "", "start", 0, 3.7), segment(2, "v", "write_with vmsplice", 2, 12.95)});
  EXPECT_EQ(summary_text(before, segment(3, "s", "read_with splice", 4, 32.8), built_in_presets()),
            "   key  change               preset           seconds  GiB/s     ±     ×\n"
            "1       start                write_read          12.0   3.70  0.25\n"
            "2  v    write_with vmsplice  vmsplice_read       12.0   12.9  0.25  ×3.5\n"
            "3  s    read_with splice     vmsplice_splice     12.0   32.8  0.25  ×2.5\n");
}

// A rate in slow motion means nothing; what is unknown is not 0.
TEST(Summary, ComparesRatesOnly) {
  Segment slow = segment(2, "m", "slow_motion on", 0, 0.001);
  slow.requested.pipe.slow_motion = true;
  const Closed before =
      closed({segment(1, "", "start", 0, 4), slow, segment(3, "m", "slow_motion off", 0, 0)});
  const std::string text = summary_text(before, segment(4, "v", "v", 2, 8), built_in_presets());
  EXPECT_NE(text.find("12.0   slow\n"), std::string::npos) << text;
  EXPECT_NE(text.find("write_read        12.0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("8.00  0.25  ×2.0\n"), std::string::npos) << text;
}

TEST(Summary, OfVeryManyOnlyTheLastOnes) {
  std::vector<Segment> many;
  for (uint32_t i = 1; i <= 100; ++i) many.push_back(segment(i, "v", "v", 2, 8));
  const std::string text = summary_text(closed(many), segment(101, "v", "v", 2, 8), {});
  EXPECT_EQ(std::ranges::count(text, '\n'), 42);
  EXPECT_NE(text.find("61 segments before them; --segments FILE writes all\n"), std::string::npos);
}

TEST(Summary, EachWorkloadHasItsUnit) {
  Segment other = segment(1, "", "start", 0, 5);
  other.requested = {};
  other.requested.workload = WorkloadKind::percpu;
  const std::string text =
      summary_text(closed({other}), segment(2, "n", "scene 2", 0, 4), built_in_presets());
  EXPECT_NE(text.find("k rules/s"), std::string::npos) << text;
  EXPECT_NE(text.find("4.00 GiB/s"), std::string::npos) << text;
  EXPECT_EQ(text.find("×0.80"), std::string::npos) << text;
}

}  // namespace
}  // namespace pipetop::tui
