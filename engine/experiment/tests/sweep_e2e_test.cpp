#include <gtest/gtest.h>

#include "engine/experiment/sweep.h"
#include "engine/workload/percpu/tests/network_fixture.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

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
