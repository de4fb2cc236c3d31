#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/experiment/tune_race.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

const TrialLength kShort = {.warmup_ns = 5'000'000, .bytes = 1 << 20};

struct LiveTrials : testing::Test {
  static EngineOptions unwatched() {
    EngineOptions options;
    options.bpf = BpfUse::off;
    return options;
  }
  Interrupts interrupts{{}};
  Session session{unwatched(), interrupts};
  RaceHooks trials = live_trials(session);
};

TEST_F(LiveTrials, MeasuresOneAfterTheOther) {
  for (const Preset& rung : article_presets()) {
    const Measured measured = trials.measure(rung.settings, kShort);
    ASSERT_TRUE(measured.gib_per_s.has_value()) << rung.name;
    EXPECT_GT(*measured.gib_per_s, 0) << rung.name;
  }
}

TEST_F(LiveTrials, TellsWhatIsNotInForce) {
  Settings s;
  s.pipe.placement = Placement::same_cpu;  // which can be had anywhere
  s.pipe.gift = true;                      // there is no vmsplice to give with
  const Measured measured = trials.measure(s, kShort);
  EXPECT_NE(measured.mismatch.find("gift true: only vmsplice"), std::string::npos)
      << measured.mismatch;
  s.pipe.gift = false;
  s.pipe.pipe_size = 128 * 1024;
  EXPECT_EQ(trials.measure(s, kShort).mismatch, "");
}

TEST_F(LiveTrials, WhatWasCutShortIsNoFigure) {
  interrupts.end_at(interrupts.now_ns() + 100 * kMs);
  EXPECT_FALSE(trials.measure({}, {0, kSecond, 0}).gib_per_s.has_value());
  EXPECT_FALSE(trials.go_on());
}

}  // namespace
}  // namespace pipetop
