#include "engine/experiment/tune_trials.h"

#include <gtest/gtest.h>

#include "engine/workload/pipe/pipe_presets.h"

namespace pipetop {
namespace {

const TrialLength kShort = {.warmup_ns = 5'000'000, .bytes = 1 << 20};

struct TuneTrialsTest : testing::Test {
  static EngineOptions unwatched() {
    EngineOptions options;
    options.bpf = BpfUse::off;
    return options;
  }
  Engine engine{unwatched()};
};

TEST_F(TuneTrialsTest, MeasuresOneAfterTheOther) {
  TuneTrials trials(engine, [] { return true; });
  for (const Preset& rung : article_presets()) {
    const Measured measured = trials.measure(rung.settings, kShort);
    ASSERT_TRUE(measured.gib_per_s.has_value()) << rung.name;
    EXPECT_GT(*measured.gib_per_s, 0) << rung.name;
  }
}

TEST_F(TuneTrialsTest, TellsWhatIsNotInForce) {
  TuneTrials trials(engine, [] { return true; });
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

TEST_F(TuneTrialsTest, WhatWasCutShortIsNoFigure) {
  int asked = 0;
  TuneTrials cut(engine, [&] { return ++asked < 2; });
  EXPECT_FALSE(cut.measure({}, {0, 1'000'000'000, 0}).gib_per_s.has_value());
  TuneTrials* self = nullptr;
  TuneTrials stopped(engine, [&] {
    self->spoil();
    return true;
  });
  self = &stopped;
  EXPECT_FALSE(stopped.measure({}, kShort).gib_per_s.has_value());
}

}  // namespace
}  // namespace pipetop
