#include <gtest/gtest.h>

#include "engine/experiment/tests/fake_pipe.h"
#include "engine/experiment/tune_race.h"

namespace pipetop {
namespace {

TEST(TuneEffects, AreThoseOfTheValuesAndTheLargestComesFirst) {
  FakePipe pipe{usual_truth};
  const TuneSpace space = fake_space();
  const Settings winner = fake_reference(space);
  Race race(winner, pipe.hooks(), 1);
  const auto moves = space.moves(winner);
  std::vector<Contender*> field = {&race.enter(winner)};
  for (const TuneMove& move : moves) field.push_back(&race.enter(move.settings));
  for (int i = 0; i < 3; ++i) race.round(field, {1, 80'000'000, 0}, UINT64_MAX / 2);
  const auto effects = knob_effects(race, moves, *field.front());
  ASSERT_EQ(effects.size(), moves.size());
  for (size_t i = 1; i < effects.size(); ++i)
    EXPECT_GE(std::abs(effects[i - 1].change), std::abs(effects[i].change));
  for (const KnobEffect& effect : effects) {
    EXPECT_EQ(effect.trials, 3u);
    const double expected =
        usual_truth(with(winner, effect.knob, effect.value)) / usual_truth(winner) - 1;
    EXPECT_NEAR(effect.change, expected, 1e-6) << effect.knob << " " << effect.value;
    ASSERT_TRUE(effect.error.has_value());
    EXPECT_NEAR(*effect.error, 0, 1e-6);
  }
}

TEST(TuneEffects, WhatWasMeasuredOnceSaysNothing) {
  FakePipe pipe{usual_truth};
  const TuneSpace space = fake_space();
  const Settings winner = fake_reference(space);
  Race race(winner, pipe.hooks(), 1);
  const auto moves = space.moves(winner);
  std::vector<Contender*> field = {&race.enter(winner)};
  for (int i = 0; i < 2; ++i) race.round(field, {1, 80'000'000, 0}, UINT64_MAX / 2);
  field = {&race.enter(moves[0].settings)};
  race.round(field, {1, 80'000'000, 0}, UINT64_MAX / 2);
  EXPECT_TRUE(knob_effects(race, moves, race.enter(winner)).empty());
}

TEST(TuneEffects, TheErrorGrowsWithTheScatterAndCoversTheTruth) {
  FakePipe pipe{usual_truth};
  pipe.noise = 0.05;
  const TuneSpace space = fake_space();
  const Settings winner = fake_reference(space);
  Race race(winner, pipe.hooks(), 1);
  const auto moves = space.moves(winner);
  std::vector<Contender*> field = {&race.enter(winner)};
  for (const TuneMove& move : moves) field.push_back(&race.enter(move.settings));
  for (int i = 0; i < 8; ++i) race.round(field, {1, 100'000'000, 0}, UINT64_MAX / 2);
  int covered = 0;
  for (const KnobEffect& effect : knob_effects(race, moves, *field.front())) {
    const double expected =
        usual_truth(with(winner, effect.knob, effect.value)) / usual_truth(winner) - 1;
    ASSERT_TRUE(effect.error.has_value());
    EXPECT_GT(*effect.error, 0);
    covered += std::abs(effect.change - expected) <= *effect.error;
  }
  EXPECT_GE(4 * covered, 3 * int(moves.size()));  // two standard errors, of eight rounds
}

}  // namespace
}  // namespace pipetop
