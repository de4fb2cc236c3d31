#include <gtest/gtest.h>

#include "engine/experiment/sweep.h"
#include "engine/registry/knobs.h"

namespace pipetop {
namespace {

SweepOptions short_options() {
  SweepOptions options;
  options.engine.bpf = BpfUse::off;
  options.plan = sweep_of(knob("pairs"), "1..2");
  options.length = {.warmup_ns = 0, .bytes = 1 << 20};
  options.rounds = 2;
  return options;
}

TEST(SweepE2E, EveryValueIsMeasuredInEveryRound) {
  std::vector<std::string> told;
  Interrupts none{{}};
  const Sweep sweep = run_sweep(short_options(), none, [&](const std::string& value, int, int all) {
    told.push_back(value);
    EXPECT_EQ(all, 4);
  });
  EXPECT_EQ(told, (std::vector<std::string>{"1", "2", "2", "1"})) << "there and back again";
  EXPECT_EQ(sweep.rounds, 2);
  ASSERT_EQ(sweep.rows.size(), 2u);
  for (const SweepRow& row : sweep.rows) {
    ASSERT_EQ(row.runs.size(), 2u);
    for (const SweepRun& run : row.runs) EXPECT_GT(run.rate, 0);
  }
  EXPECT_EQ(sweep.rows[1].runs[0].parts.size(), 2u);
}

TEST(SweepE2E, ARoundThatWasCutShortIsLeftOut) {
  int runs = 0;
  Interrupts interrupts{{}};
  const Sweep sweep = run_sweep(short_options(), interrupts, [&](const std::string&, int, int) {
    if (++runs == 4) interrupts.end();
  });
  EXPECT_EQ(sweep.rounds, 1);
  for (const SweepRow& row : sweep.rows) EXPECT_EQ(row.runs.size(), 1u);
}

}  // namespace
}  // namespace pipetop
