// The whole search, on pipes that are made up.
#include "engine/experiment/tune.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/experiment/tests/fake_pipe.h"

namespace pipetop {
namespace {

// A machine as one meets it: it scatters, its host takes some, it drifts slowly and
// spends one part of three at half its speed.
FakePipe real_life(uint64_t seed) {
  FakePipe pipe{usual_truth};
  pipe.random.seed(seed);
  pipe.noise = 0.04;
  pipe.spoiled = 0.03;
  pipe.drift = [seed](double s) {
    const double phase = s + double(seed);
    return (std::fmod(phase, 30) < 10 ? 0.5 : 1) * (1 + 0.1 * std::sin(phase / 3));
  };
  return pipe;
}

TuneResult search(
    FakePipe& pipe, const TuneSpace& space, uint64_t budget_ns, uint64_t seed,
    GoOn go_on = [] { return true; }) {
  return tune(space, fake_reference(space), {pipe.now_ns, budget_ns, seed},
              pipe.hooks(std::move(go_on)), {});
}

double best_truth(const TuneSpace& space, Settings from) {
  for (bool better = true; better;) {
    better = false;
    for (const TuneMove& move : space.moves(from)) {
      if (usual_truth(move.settings) <= usual_truth(from)) continue;
      from = move.settings;
      better = true;
    }
  }
  return usual_truth(from);
}

TEST(Tune, FindsTheBestWhateverTheSeedAndTheWeather) {
  const TuneSpace space = fake_space();
  const double best = best_truth(space, fake_reference(space));
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    FakePipe pipe = real_life(seed);
    const TuneResult r = search(pipe, space, 60 * kSecond, seed);
    ASSERT_TRUE(r.winner && r.runner_up) << seed;
    EXPECT_TRUE(r.has_final);
    const double found = usual_truth(r.winner->settings);
    EXPECT_GE(found, 0.97 * best) << seed;
    // What it says of itself is so.
    const double truly = found / usual_truth(r.reference);
    EXPECT_NEAR(r.against_reference.ratio, truly, 0.06 * truly) << seed;
    EXPECT_GT(r.against_reference.confidence, 0.95) << seed;
    EXPECT_GE(r.against_runner_up.ratio, 1) << seed;
  }
}

TEST(Tune, FindsAnotherBestWhereTheGuessesAreWrong) {
  // Nothing that is guessed is any good here: what wins is write and read on small pages
  // with small sizes.
  const auto odd = [](const Settings& s) {
    double rate = s.pipe.write_with == WriteWith::write ? 10 : 1;
    rate *= s.pipe.read_with == ReadWith::read ? 1 : 0.7;
    rate *= s.pipe.pages == Pages::k4 ? 1 : 0.8;
    rate *= std::pow(0.8, std::abs(std::log2(double(s.pipe.pipe_size) / 32768)));
    return rate * std::pow(0.8, std::abs(std::log2(double(s.pipe.buf_size) / 32768)));
  };
  const TuneSpace space = fake_space();
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    FakePipe pipe = real_life(seed);
    pipe.truth = odd;
    const TuneResult r = search(pipe, space, 60 * kSecond, seed);
    ASSERT_TRUE(r.winner);
    EXPECT_GE(odd(r.winner->settings), 0.79 * 10) << seed;  // at most one step of a size away
  }
}

TEST(Tune, StaysWithinItsBudget) {
  const TuneSpace space = fake_space();
  for (const uint64_t seconds : {2, 5, 10, 20, 60, 300}) {
    FakePipe pipe = real_life(seconds);
    const uint64_t begin = pipe.now_ns;
    const TuneResult r = search(pipe, space, seconds * kSecond, 1);
    EXPECT_LE(pipe.now_ns - begin, seconds * kSecond) << seconds;
    EXPECT_GE(pipe.now_ns - begin, (seconds - 1) * kSecond) << seconds;
    EXPECT_EQ(r.spent_ns, pipe.now_ns - begin);
    EXPECT_EQ(r.trials, pipe.asked.size());
  }
}

TEST(Tune, ASmallBudgetFindsSomethingGoodAndSaysHowSureItIs) {
  const TuneSpace space = fake_space();
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    FakePipe pipe = real_life(seed);
    const TuneResult r = search(pipe, space, 5 * kSecond, seed);
    ASSERT_TRUE(r.winner && r.runner_up) << seed;
    EXPECT_GE(usual_truth(r.winner->settings), 1.2 * usual_truth(r.reference)) << seed;
    EXPECT_GE(r.winner->gib_per_s.size(), 2u) << seed;
    EXPECT_LT(r.against_reference.level, 0.96);
  }
}

TEST(Tune, ARunnerUpFarBehindIsOne) {
  const TuneSpace space = fake_space();
  const Settings peak =
      with(with(fake_reference(space), "pipe_size", "512KiB"), "buf_size", "1MiB");
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    FakePipe pipe = real_life(seed);
    pipe.truth = [&](const Settings& s) { return s == peak ? 50 : 1 + usual_truth(s) / 100; };
    const TuneResult r = search(pipe, space, 20 * kSecond, seed);
    ASSERT_TRUE(r.winner && r.runner_up) << seed;
    EXPECT_EQ(r.winner->settings, peak);
    EXPECT_GT(r.against_runner_up.ratio, 10);
  }
}

TEST(Tune, EqualsAreNotTold) {
  FakePipe pipe = real_life(1);
  pipe.truth = [](const Settings&) { return 10.0; };
  int sure = 0;
  const TuneSpace space = fake_space();
  for (uint64_t seed = 1; seed <= 20; ++seed)
    sure += search(pipe, space, 20 * kSecond, seed).against_runner_up.confidence > 0.95;
  EXPECT_LE(sure, 3);  // five per cent of them, whichever is called the winner
}

TEST(Tune, TheSensitivityIsThatAroundTheWinner) {
  FakePipe pipe{usual_truth};
  pipe.noise = 0.01;
  const TuneSpace space = fake_space();
  const TuneResult r = search(pipe, space, 60 * kSecond, 1);
  ASSERT_TRUE(r.winner);
  EXPECT_EQ(r.effects.size(), space.moves(r.winner->settings).size());
  for (const KnobEffect& effect : r.effects) {
    const Settings other = space.as_planned(with(r.winner->settings, effect.knob, effect.value));
    const double expected = usual_truth(other) / usual_truth(r.winner->settings) - 1;
    EXPECT_NEAR(effect.change, expected, 0.03) << effect.knob << " " << effect.value;
    EXPECT_GE(effect.trials, 2u);
  }
}

TEST(Tune, NobodyWinsByOneTrial) {
  // One trial in a hundred is told ten times too fast.
  const TuneSpace space = fake_space();
  const double best = best_truth(space, fake_reference(space));
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    FakePipe pipe = real_life(seed);
    RaceHooks hooks = pipe.hooks();
    hooks.measure = [&](const Settings& s, const TrialLength& l) {
      Measured m = pipe.measure(s, l);
      if (pipe.random() % 100 == 0) m.gib_per_s = Reading<double>::of(10 * *m.gib_per_s);
      return m;
    };
    const TuneResult r =
        tune(space, fake_reference(space), {pipe.now_ns, 60 * kSecond, seed}, hooks, {});
    ASSERT_TRUE(r.winner);
    EXPECT_GE(usual_truth(r.winner->settings), 0.93 * best) << seed;
  }
}

TEST(Tune, WhoEndsItHasWhatIsKnown) {
  const TuneSpace space = fake_space();
  for (const uint64_t seconds : {1, 4, 10, 20, 30, 45, 50, 58}) {
    FakePipe pipe = real_life(1);
    const uint64_t end = pipe.now_ns + seconds * kSecond;
    const TuneResult r = search(pipe, space, 60 * kSecond, 1, [&] { return pipe.now_ns < end; });
    EXPECT_LE(pipe.now_ns, end + kSecond);
    if (!r.winner) {
      EXPECT_LE(seconds, 10u);
      continue;
    }
    EXPECT_GE(r.winner->gib_per_s.size(), 2u) << seconds;
    EXPECT_EQ(r.has_final, r.reference_gib_per_s.size() >= 2);
  }
}

TEST(Tune, WhatCannotBeHadIsToldOnceAndNotNamed) {
  FakePipe pipe = real_life(1);
  RaceHooks hooks = pipe.hooks();
  hooks.measure = [&](const Settings& s, const TrialLength& l) {
    Measured m = pipe.measure(s, l);
    if (s.pipe.pages == Pages::hugetlb) m.mismatch = "pages hugetlb: none";
    return m;
  };
  const TuneSpace space = fake_space();
  const TuneResult r =
      tune(space, fake_reference(space), {pipe.now_ns, 60 * kSecond, 1}, hooks, {});
  ASSERT_TRUE(r.winner);
  EXPECT_NE(r.winner->settings.pipe.pages, Pages::hugetlb);
  EXPECT_EQ(r.refusals, std::vector<std::string>{"pages hugetlb: none"});
  EXPECT_GT(r.refused, 1u);
}

TEST(Tune, TellsHowFarItIs) {
  FakePipe pipe = real_life(1);
  const TuneSpace space = fake_space();
  std::vector<TunePhase> phases;
  uint64_t left = UINT64_MAX;
  tune(space, fake_reference(space), {pipe.now_ns, 60 * kSecond, 1}, pipe.hooks(),
       [&](const TuneProgress& p) {
         if (phases.empty() || phases.back() != p.phase) phases.push_back(p.phase);
         EXPECT_LE(p.left_ns, left);
         left = p.left_ns;
         EXPECT_EQ(p.leader == nullptr, p.phase == TunePhase::screen);
       });
  EXPECT_EQ(phases, (std::vector{TunePhase::screen, TunePhase::halve, TunePhase::refine,
                                 TunePhase::final, TunePhase::sensitivity}));
}

TEST(Tune, SameSeedSameSearch) {
  const TuneSpace space = fake_space();
  FakePipe a = real_life(5), b = real_life(5), c = real_life(5);
  search(a, space, 20 * kSecond, 1);
  search(b, space, 20 * kSecond, 1);
  search(c, space, 20 * kSecond, 2);
  EXPECT_EQ(a.asked, b.asked);
  EXPECT_NE(a.asked, c.asked);
}

}  // namespace
}  // namespace pipetop
