#include "engine/experiment/overhead.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/base/error.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

TEST(Overhead, RatiosAreEachRoundsOwn) {
  const Overhead overhead = {{"cpu-clock", 999}, {{10, 9, 8}, {20, 20, 10}}};
  EXPECT_EQ(overhead.ratios(&OverheadRound::on), (std::vector<double>{0.8, 0.5}));
  EXPECT_EQ(overhead.ratios(&OverheadRound::timers), (std::vector<double>{0.9, 1.0}));
}

TEST(MeasuredOverhead, EveryPhaseMovesData) {
  OverheadOptions options;
  options.engine.settings = find_preset(article_presets(), "busy_loop_huge")->settings;
  options.rounds = 2;
  options.phase_ns = 50'000'000;
  std::vector<int> told;
  Interrupts none{{}};
  Overhead overhead;
  try {
    overhead = measure_overhead(options, none, [&](int done) { told.push_back(done); });
  } catch (const Error& refused) {
    if (bpf_is_required()) FAIL() << refused.what();
    GTEST_SKIP() << refused.what();
  }
  EXPECT_EQ(told, (std::vector{1, 2}));
  EXPECT_GT(overhead.event.hz, 0u);
  EXPECT_LE(overhead.event.hz, 999u) << "less where the kernel allows less";
  ASSERT_EQ(overhead.rounds.size(), 2u);
  for (const OverheadRound& round : overhead.rounds) {
    EXPECT_GT(round.off, 0);
    EXPECT_GT(round.timers, 0);
    EXPECT_GT(round.on, 0);
  }
}

}  // namespace
}  // namespace pipetop
