// The ladder on real pipes; nothing is timed.
#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/experiment/ladder.h"
#include "engine/workload/percpu/tests/network_fixture.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"

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

SweepPlan pairs() { return sweep_of(knob("pairs"), "1..2"); }

LadderOptions short_options() {
  LadderOptions options;
  options.length = {.warmup_ns = 0, .bytes = 1 << 20};
  options.rounds = 2;
  return options;
}

TEST(SweepE2E, EveryValueIsMeasuredInEveryRound) {
  Interrupts none{{}};
  const Sweep sweep = run_sweep(pairs(), short_options(), none,
                                [&](const ExperimentStep& step) { EXPECT_EQ(step.runs, 4u); });
  EXPECT_EQ(sweep.rounds(), 2u);
  std::vector<size_t> order;
  for (const LadderRun& run : sweep.report.ladder.runs) {
    order.push_back(run.rung);
    EXPECT_GT(run.trial.rate(), 0);
    EXPECT_EQ(run.trial.end.parts.size(), run.rung + 1);
  }
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 1, 0})) << "there and back again";
}

// The first process of each run.
std::vector<int> pids_of(const Sweep& sweep) {
  std::vector<int> pids;
  for (const LadderRun& run : sweep.report.ladder.runs)
    pids.push_back(run.trial.end.workers.front().pid);
  return pids;
}

TEST(SweepE2E, RoundsShareWorkersUnlessEachHasItsPace) {
  Interrupts none{{}};
  const auto ignore = [](const ExperimentStep&) {};
  const std::vector<int> pipes = pids_of(run_sweep(pairs(), short_options(), none, ignore));
  EXPECT_EQ(pipes, std::vector<int>(4, pipes.front()));

  if (const std::string why = percpu::why_no_private_network(); !why.empty()) GTEST_SKIP() << why;
  LadderOptions options = short_options();
  options.length.bytes = 100;  // rules
  options.engine.settings.workload = WorkloadKind::percpu;
  const std::vector<int> rules =
      pids_of(run_sweep(sweep_of_values(knob("no_percpu")), options, none, ignore));
  ASSERT_EQ(rules.size(), 4u);
  EXPECT_EQ(rules[0], rules[1]);
  EXPECT_EQ(rules[2], rules[3]);
  EXPECT_NE(rules[1], rules[2]);
}

TEST(SweepE2E, ARoundThatWasCutShortIsLeftOut) {
  Interrupts interrupts{{}};
  const Sweep sweep =
      run_sweep(pairs(), short_options(), interrupts, [&](const ExperimentStep& step) {
        if (step.run == 4) interrupts.end();
      });
  EXPECT_EQ(sweep.rounds(), 1u);
  EXPECT_EQ(sweep.report.ladder.runs.size(), 2u);
}

}  // namespace

}  // namespace pipetop
