#include <gtest/gtest.h>

#include "engine/experiment/sweep.h"
#include "engine/registry/workloads.h"

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
                                [&](const LadderStep& step) { EXPECT_EQ(step.all, 4u); });
  EXPECT_EQ(sweep.rounds(), 2u);
  std::vector<size_t> order;
  for (const LadderRun& run : sweep.report.ladder.runs) {
    order.push_back(run.rung);
    EXPECT_GT(run.trial.rate(), 0);
    EXPECT_EQ(run.trial.end.parts.size(), run.rung + 1);
  }
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 1, 0})) << "there and back again";
}

TEST(SweepE2E, ARoundThatWasCutShortIsLeftOut) {
  Interrupts interrupts{{}};
  const Sweep sweep = run_sweep(pairs(), short_options(), interrupts, [&](const LadderStep& step) {
    if (step.done == 3) interrupts.end();
  });
  EXPECT_EQ(sweep.rounds(), 1u);
  EXPECT_EQ(sweep.report.ladder.runs.size(), 2u);
}

}  // namespace
}  // namespace pipetop
