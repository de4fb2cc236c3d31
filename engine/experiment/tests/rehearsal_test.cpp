// What a rehearsal makes of its rates; the numbers are made up.
#include "engine/experiment/rehearsal.h"

#include <gtest/gtest.h>

namespace pipetop {
namespace {

using Of = Expectation::Of;
using Is = Expectation::Is;

RehearsedScene rehearsed(double rate, std::vector<Expectation> expect = {}) {
  RehearsedScene scene;
  scene.scene.expect = std::move(expect);
  scene.rate = Reading<double>::of(rate);
  return scene;
}

RehearsedScene of_clients(double rate) {
  RehearsedScene scene = rehearsed(rate);
  scene.scene.settings.workload = WorkloadKind::page_cache;
  return scene;
}

RehearsedScene slow_one() {
  RehearsedScene scene;
  scene.scene.settings.pipe.slow_motion = true;
  scene.rate = Reading<double>::unavailable("slow");
  return scene;
}

TEST(Judge, ComparesWithTheSceneBeforeAndTheFirst) {
  std::vector<RehearsedScene> scenes = {rehearsed(2), rehearsed(3), rehearsed(12)};
  judge(scenes);
  EXPECT_FALSE(scenes[0].to_previous.has_value());
  EXPECT_EQ(*scenes[1].to_previous, 1.5);
  EXPECT_EQ(*scenes[2].to_previous, 4);
  EXPECT_EQ(*scenes[2].to_first, 6);
}

TEST(Judge, LeavesOutWhatCannotBeCompared) {
  std::vector<RehearsedScene> scenes = {rehearsed(2), slow_one(), of_clients(9), rehearsed(4),
                                        of_clients(18)};
  judge(scenes);
  EXPECT_FALSE(scenes[1].to_previous.has_value());
  EXPECT_FALSE(scenes[2].to_previous.has_value());
  EXPECT_EQ(*scenes[3].to_previous, 2);
  EXPECT_EQ(*scenes[4].to_first, 2);
}

TEST(Judge, SaysWhatDidNotComeTrue) {
  std::vector<RehearsedScene> scenes = {
      rehearsed(2, {{Of::rate, Is::more, 1}}),
      rehearsed(2.62, {{Of::ratio_to_previous, Is::at_least, 1.5}, {Of::rate, Is::less, 2}}),
      rehearsed(2, {{Of::ratio_to_first, Is::at_most, 1}})};
  judge(scenes);
  EXPECT_TRUE(scenes[0].disappoints.empty());
  EXPECT_EQ(scenes[1].disappoints,
            (std::vector<std::string>{"ratio_to_previous 1.31, expected >= 1.5",
                                      "rate 2.62, expected < 2"}));
  EXPECT_TRUE(scenes[2].disappoints.empty());
}

TEST(Judge, AVerdictAndAFunctionMustBeSeen) {
  RehearsedScene scene = rehearsed(1, {{.of = Of::verdict, .name = "lock-bound"},
                                       {.of = Of::sees, .name = "mutex_spin_on_owner"}});
  scene.verdict = Reading<Verdict>::of({.kind = Verdict::Kind::lock});
  scene.functions = Reading<std::vector<std::string>>::of({"mutex_spin_on_owner.isra.0"});
  RehearsedScene other = scene;
  other.verdict = Reading<Verdict>::of({.kind = Verdict::Kind::reader});
  other.functions = Reading<std::vector<std::string>>::of({"pipe_write"});
  std::vector<RehearsedScene> scenes = {scene, other};
  judge(scenes);
  EXPECT_TRUE(scenes[0].disappoints.empty());
  EXPECT_EQ(scenes[1].disappoints,
            (std::vector<std::string>{
                "verdict reader-bound, expected lock-bound",
                "sees: mutex_spin_on_owner is not among the functions that were seen"}));
}

TEST(Judge, EachComparisonHasItsBorder) {
  for (const auto& [is, below, equal, above] : {std::tuple{Is::at_least, false, true, true},
                                                {Is::at_most, true, true, false},
                                                {Is::more, false, false, true},
                                                {Is::less, true, false, false}}) {
    for (const auto& [rate, good] : {std::pair{1.9, below}, {2.0, equal}, {2.1, above}}) {
      std::vector<RehearsedScene> scenes = {rehearsed(rate, {{Of::rate, is, 2}})};
      judge(scenes);
      EXPECT_EQ(scenes[0].disappoints.empty(), good) << rate << " " << int(is);
    }
  }
}

TEST(Judge, ASceneWithoutARateSaysSoOnceAndToThoseAfterIt) {
  RehearsedScene refused = rehearsed(1, {{Of::rate, Is::more, 1}});
  refused.rate = Reading<double>::unavailable("the worker needs root");
  refused.is_shown = false;
  refused.disappoints = {"the worker needs root"};
  std::vector<RehearsedScene> scenes = {refused,
                                        rehearsed(4, {{Of::ratio_to_previous, Is::more, 1}})};
  judge(scenes);
  EXPECT_EQ(scenes[0].disappoints.size(), 1u);
  EXPECT_EQ(
      scenes[1].disappoints,
      std::vector<std::string>{"ratio_to_previous unknown, expected > 1: scene 1 has no rate"});
}

TEST(Judge, WhatASceneLacksHidesNothingElse) {
  RehearsedScene strict = rehearsed(1, {{Of::rate, Is::more, 2}});
  strict.disappoints = {"pages: 4k instead of huge"};
  std::vector<RehearsedScene> scenes = {strict};
  judge(scenes);
  EXPECT_EQ(scenes[0].disappoints.size(), 2u);
}

TEST(Assess, IsUntrustworthyIfASceneDisappoints) {
  Rehearsal rehearsal;
  rehearsal.scenes = {rehearsed(1), rehearsed(2)};
  rehearsal.steal_share = Reading<double>::of(0);
  EXPECT_EQ(assess(rehearsal).exit, Exit::ok);
  rehearsal.scenes[1].disappoints = {"no"};
  EXPECT_EQ(assess(rehearsal).exit, Exit::untrustworthy);
  EXPECT_EQ(assess(rehearsal).warnings.front(), "1 of 2 scenes fail");
  EXPECT_EQ(rehearsal.disappointing(), 1u);
}

}  // namespace
}  // namespace pipetop
