#include "engine/experiment/tune_race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/error.h"
#include "engine/experiment/tests/fake_pipe.h"

namespace pipetop {
namespace {

constexpr uint64_t kFar = UINT64_MAX / 2;
const TrialLength kLength = {20'000'000, 80'000'000, 0};

std::vector<Settings> some(size_t count) {
  std::mt19937_64 random(1);
  return fake_space().candidates(count, random);
}

struct RaceTest : testing::Test {
  FakePipe pipe{usual_truth};
  Settings reference = fake_reference(fake_space());

  static std::vector<Contender*> enter(Race& race, size_t count) {
    std::vector<Contender*> field;
    for (const Settings& s : some(count)) field.push_back(&race.enter(s));
    return field;
  }
};

TEST_F(RaceTest, EveryContenderHasOneTrialARound) {
  Race race(reference, pipe.hooks(), 1);
  const auto field = enter(race, 20);
  EXPECT_TRUE(race.round(field, kLength, kFar));
  EXPECT_TRUE(race.round(field, kLength, kFar));
  for (const Contender* c : field) EXPECT_EQ(c->ratios.size(), 2u);
  EXPECT_EQ(race.trials(), pipe.asked.size());
  EXPECT_EQ(&race.enter(field[3]->settings), field[3]);
}

TEST_F(RaceTest, RatiosStandStillWhileTheMachineDrifts) {
  // Half as fast from one moment on, and slower all the time.
  pipe.drift = [](double s) { return (s > 4 ? 0.5 : 1) * std::exp(-s / 20); };
  Race race(reference, pipe.hooks(), 1);
  const auto field = enter(race, 20);
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(race.round(field, kLength, kFar));
  for (const Contender* c : field)
    EXPECT_NEAR(c->score(), usual_truth(c->settings) / usual_truth(reference), 0.03 * c->score());
}

TEST_F(RaceTest, ARoundIsShuffledAnew) {
  Race race(reference, pipe.hooks(), 1);
  const auto field = enter(race, 12);
  race.round(field, kLength, kFar);
  const std::vector<Settings> first = std::move(pipe.asked);
  pipe.asked.clear();
  race.round(field, kLength, kFar);
  EXPECT_NE(first, pipe.asked);
}

TEST_F(RaceTest, ItEndsBeforeTheDeadlineAndKeepsWhatItHas) {
  Race race(reference, pipe.hooks(), 1);
  const auto field = enter(race, 30);
  const uint64_t deadline = pipe.now_ns + 2'000'000'000;
  EXPECT_FALSE(race.round(field, kLength, deadline));
  EXPECT_LE(pipe.now_ns, deadline);
  EXPECT_GT(pipe.now_ns, deadline - 400'000'000);
  const auto measured =
      std::ranges::count_if(field, [](Contender* c) { return !c->ratios.empty(); });
  EXPECT_GT(measured, 8);
  EXPECT_LT(measured, 20);
}

TEST_F(RaceTest, ItEndsWhenAsked) {
  int asked = 0;
  Race race(reference, pipe.hooks([&] { return ++asked < 10; }), 1);
  EXPECT_FALSE(race.round(enter(race, 30), kLength, kFar));
  EXPECT_LE(pipe.asked.size(), 10u);
}

TEST_F(RaceTest, OnlyWhatWasMeasuredTwiceIsKnown) {
  Race race(reference, pipe.hooks(), 1);
  const auto field = enter(race, 9);
  race.round(field, kLength, kFar);
  EXPECT_TRUE(best_of(field, 5).empty());
  race.round(field, kLength, kFar);
  const auto best = best_of(field, 5);
  ASSERT_EQ(best.size(), 5u);
  EXPECT_TRUE(std::ranges::is_sorted(best, std::ranges::greater(), &Contender::score));
  EXPECT_EQ(best.front()->settings, (*std::ranges::max_element(field, {}, [](const Contender* c) {
                                      return usual_truth(c->settings);
                                    }))->settings);
}

TEST_F(RaceTest, WhatIsRefusedTwiceIsOut) {
  RaceHooks hooks = pipe.hooks();
  std::map<uint64_t, int> told;
  hooks.measure = [&](const Settings& s, const TrialLength& l) -> Measured {
    Measured measured = pipe.measure(s, l);
    if (s.pipe.pipe_size == 256 * 1024) measured.mismatch = "pipe_size: no";
    if (s.pipe.pages == Pages::k4) measured.gib_per_s = Reading<double>::unavailable("pages: no");
    return measured;
  };
  Race race(reference, hooks, 1);
  const auto field = enter(race, 20);
  for (int i = 0; i < 3; ++i) race.round(field, kLength, kFar);
  for (const Contender* c : field) {
    const bool refused =
        c->settings.pipe.pipe_size == 256 * 1024 || c->settings.pipe.pages == Pages::k4;
    EXPECT_EQ(c->is_out(), refused);
    EXPECT_EQ(c->refusals, refused ? 2 : 0);
    EXPECT_EQ(c->ratios.size(), refused ? 0u : 3u);
  }
}

TEST_F(RaceTest, ATrialThatWasCutShortIsNoFigure) {
  RaceHooks hooks = pipe.hooks();
  int trials = 0;
  hooks.measure = [&](const Settings& s, const TrialLength& l) -> Measured {
    if (++trials % 3 == 0) return {Reading<double>::warming("cut short"), {}};
    return pipe.measure(s, l);
  };
  Race race(reference, hooks, 1);
  const auto field = enter(race, 12);
  race.round(field, kLength, kFar);
  size_t figures = 0;
  for (const Contender* c : field) figures += c->ratios.size();
  EXPECT_GT(figures, 0u);
  EXPECT_LT(figures, 12u);
  for (const Contender* c : field) EXPECT_FALSE(c->is_out());
}

TEST_F(RaceTest, AReferenceThatCannotBeHadIsAnError) {
  RaceHooks hooks = pipe.hooks();
  hooks.measure = [](const Settings&, const TrialLength&) -> Measured {
    return {Reading<double>::unavailable("no memory"), {}};
  };
  Race race(reference, hooks, 1);
  EXPECT_THROW(race.round(enter(race, 3), kLength, kFar), Error);
}

TEST_F(RaceTest, AHeatIsWholeOrNone) {
  Race race(reference, pipe.hooks(), 1);
  const auto field = enter(race, 2);
  const auto rates = race.heat(field, kLength, kFar);
  ASSERT_TRUE(rates);
  EXPECT_DOUBLE_EQ((*rates)[0], usual_truth(field[0]->settings));
  EXPECT_DOUBLE_EQ((*rates)[2], usual_truth(reference));
  EXPECT_EQ(field[1]->ratios.size(), 1u);
}

}  // namespace
}  // namespace pipetop
