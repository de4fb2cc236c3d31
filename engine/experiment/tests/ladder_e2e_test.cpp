// The ladder on real pipes; nothing is timed.
#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/experiment/ladder.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

LadderOptions two_rungs() {
  LadderOptions options;
  options.rungs = {article_presets().front(), article_presets().back()};
  options.rounds = 2;
  options.length = {5 * kMs, 20 * kMs, 0};
  options.seed = 1;
  return options;
}

TEST(RunLadder, MeasuresEveryRungInEveryRound) {
  const LadderOptions options = two_rungs();
  uint32_t asked = 0;
  Interrupts none{{}};
  const Ladder ladder = run_ladder(options, none, [&](const ExperimentStep& step) {
    ++asked;
    EXPECT_EQ(step.runs, 4u);
    EXPECT_LE(step.run, 4u);
    EXPECT_TRUE(step.left_ns.has_value());
  });
  EXPECT_GE(asked, 4u);
  ASSERT_TRUE(ladder.complete());
  for (size_t i = 0; i < 4; ++i) {
    const LadderRun& run = ladder.runs[i];
    const auto round = static_cast<uint32_t>(1 + i / 2);
    EXPECT_EQ(run.round, round);
    EXPECT_EQ(run.rung, ladder_order(2, 1, round)[i % 2]);
    EXPECT_EQ(run.trial.settings, options.rungs[run.rung].settings);
    EXPECT_EQ(run.trial.end.requested, run.trial.settings);
    EXPECT_GE(run.trial.duration_ns(), 20 * kMs);
    EXPECT_TRUE(run.trial.end.throughput.history.empty());
    EXPECT_FALSE(run.trial.end.event.has_value());  // nobody observes
  }
}

TEST(RunLadder, MovesTheBytesAskedFor) {
  LadderOptions options = two_rungs();
  options.rounds = 1;
  constexpr uint64_t kBytes = 2 << 20;
  options.length.bytes = kBytes;
  Interrupts none{{}};
  const Ladder ladder = run_ladder(options, none, [](const ExperimentStep&) {});
  ASSERT_TRUE(ladder.complete());
  for (const LadderRun& run : ladder.runs) {
    EXPECT_GE(run.trial.items(), kBytes);
    EXPECT_GT(run.trial.rate(), 0);
  }
}

TEST(RunLadder, KeepsOnlyCompleteRuns) {
  Interrupts interrupts{{}};
  const Ladder ladder = run_ladder(two_rungs(), interrupts, [&](const ExperimentStep& step) {
    if (step.run == 4) interrupts.end();
  });
  EXPECT_EQ(ladder.runs.size(), 3u);
  EXPECT_FALSE(ladder.complete());
}

}  // namespace
}  // namespace pipetop
