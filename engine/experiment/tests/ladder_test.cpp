#include "engine/experiment/ladder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/base/error.h"
#include "engine/experiment/tests/ladder_example.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

TEST(LadderReport, MediansAndQuartilesAreOfTheRuns) {
  const LadderReport r = report(ladder_of({{1, 10}, {2, 20}, {3, 60}}));
  ASSERT_EQ(r.rungs.size(), 2u);
  EXPECT_DOUBLE_EQ(r.rungs[1].rate->median, 20);
  EXPECT_DOUBLE_EQ(r.rungs[1].rate->lower, 15);
  EXPECT_DOUBLE_EQ(r.rungs[1].rate->upper, 40);
  EXPECT_TRUE(r.ladder.complete());
}

// Were it the ratio of the medians, it would be 20 / 2.
TEST(LadderReport, TimesTheFirstArePairedByRound) {
  const LadderReport r = report(ladder_of({{2, 16}, {4, 20}, {1, 30}}));
  EXPECT_DOUBLE_EQ(r.rungs[0].times_first->median, 1);
  EXPECT_DOUBLE_EQ(r.rungs[1].times_first->median, 8);
  EXPECT_DOUBLE_EQ(r.rungs[1].times_first->least, 5);
  EXPECT_DOUBLE_EQ(r.rungs[1].times_first->most, 30);
}

TEST(LadderReport, ALadderThatWasCutShortPairsWhatItHas) {
  Ladder ladder = ladder_of({{2, 16, 20}, {4, 20, 24}});
  ladder.runs = {ladder.runs[0], ladder.runs[1], ladder.runs[4]};
  const LadderReport r = report(std::move(ladder));
  EXPECT_FALSE(r.ladder.complete());
  EXPECT_EQ(r.rungs[1].rate->count, 2u);
  EXPECT_EQ(r.rungs[1].times_first->count, 1u);
  EXPECT_DOUBLE_EQ(r.rungs[1].times_first->median, 8);
  EXPECT_FALSE(r.rungs[2].rate.has_value());
  EXPECT_EQ(r.rungs[2].times_first.reason, "none of its runs was completed");
  EXPECT_FALSE(r.drift.has_value());
  EXPECT_FALSE(r.monotone.has_value());
}

TEST(LadderReport, WithoutTheFirstThereIsNoRatio) {
  Ladder ladder = ladder_of({{2, 16}});
  ladder.runs.erase(ladder.runs.begin());
  EXPECT_EQ(report(ladder).rungs[1].times_first.reason, "no round has both it and the first rung");
}

TEST(LadderReport, DriftIsTheGeometricMeanOverTheRungs) {
  // Round 3: a half of the one, twice the other, so as fast as the rest.
  const LadderReport even = report(ladder_of({{2, 16}, {2, 16}, {1, 32}}));
  ASSERT_TRUE(even.drift.has_value());
  EXPECT_DOUBLE_EQ(even.drift->farthest.ratio, 1);
  EXPECT_TRUE(even.warnings.empty());
  const LadderReport slow = report(ladder_of({{2, 16}, {2, 16}, {1, 8}, {2.2, 17.6}}));
  EXPECT_EQ(slow.drift->farthest.round, 3u);
  EXPECT_DOUBLE_EQ(slow.drift->farthest.ratio, 0.5);
  EXPECT_NEAR(slow.drift->rounds[3].ratio, 1.1, 1e-6);
}

TEST(LadderReport, DriftNeedsTwoRounds) {
  EXPECT_FALSE(report(ladder_of({{2, 16}})).drift.has_value());
  EXPECT_TRUE(report(ladder_of({{2, 16}, {2, 16}})).drift.has_value());
}

TEST(LadderReport, MuchDriftIsADoubt) {
  EXPECT_TRUE(report(ladder_of({{1, 10}, {1, 10}, {1.24, 12.4}})).warnings.empty());
  EXPECT_TRUE(report(ladder_of({{1, 10}, {1, 10}, {0.81, 8.1}})).warnings.empty());
  for (const double factor : {1.26, 0.79, 0.0}) {
    const LadderReport r = report(ladder_of({{1, 10}, {1, 10}, {factor, 10 * factor}}));
    ASSERT_EQ(r.warnings.size(), 1u) << factor;
    EXPECT_NE(r.warnings[0].find("round 3 ran at"), std::string::npos) << r.warnings[0];
    EXPECT_EQ(r.exit, Exit::untrustworthy);
  }
}

TEST(LadderReport, MuchStealInOneRunIsADoubt) {
  Ladder ladder = ladder_of({{1, 10}, {1, 10}});
  ladder.runs[0].trial.steal_share = Reading<double>::warming("too short to measure");
  ladder.runs[2].trial.steal_share = Reading<double>::of(0.05);
  EXPECT_TRUE(report(ladder).warnings.empty());
  ladder.runs[2].trial.steal_share = Reading<double>::of(0.22);
  const LadderReport r = report(ladder);
  EXPECT_DOUBLE_EQ(r.steal->mean, 0.08);
  EXPECT_DOUBLE_EQ(r.steal->most, 0.22);
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_EQ(r.warnings[0],
            "the host stole more than 5 % of the time in 1 of 3 runs, 22.0 % in the worst "
            "(write_read, round 2)");
  EXPECT_EQ(r.exit, Exit::untrustworthy);
}

TEST(LadderReport, ADeadWorkerWeighsMostButOnlyInItsRun) {
  Ladder ladder = ladder_of({{1, 10}, {1, 10}});
  ladder.runs[1].trial.end.workers[0].restarts = 1;
  for (LadderRun* run : {&ladder.runs[2], &ladder.runs[3]})
    run->trial.begin.workers[0].restarts = run->trial.end.workers[0].restarts = 1;
  ladder.runs[2].trial.steal_share = Reading<double>::of(0.22);
  const LadderReport r = report(ladder);
  ASSERT_EQ(r.warnings.size(), 2u);
  EXPECT_EQ(r.warnings[0], "the writer died during the measurement (write_read_huge, round 1)");
  EXPECT_EQ(r.exit, Exit::worker_failed);
}

TEST(LadderReport, DamagedPagesAreADoubtUnlessAskedFor) {
  Ladder ladder = ladder_of({{1}});
  Trial& trial = ladder.runs[0].trial;
  trial.begin.integrity = Reading<Integrity>::of({100, 3, 0, 0, 0});
  trial.end.integrity = Reading<Integrity>::of({200, 3, 2, 0, 0});
  EXPECT_EQ(report(ladder).warnings,
            std::vector<std::string>{"2 pages arrived damaged (write_read, round 1)"});
  trial.settings.pipe.buffers = Buffers::single;
  EXPECT_TRUE(report(ladder).warnings.empty());
}

TEST(LadderReport, SaysWhichRungFellBelowWhich) {
  const LadderReport rising = report(ladder_of({{1, 2, 3}, {1, 2, 3}}));
  EXPECT_TRUE(rising.falls.empty());
  EXPECT_TRUE(*rising.monotone);
  const LadderReport r = report(ladder_of({{2, 1.5, 3}, {2, 1.6, 3}, {2, 1.55, 3}}));
  ASSERT_EQ(r.falls.size(), 1u);
  EXPECT_EQ(r.falls[0].rung, 1u);
  EXPECT_FALSE(*r.monotone);
  EXPECT_EQ(r.falls[0].text,
            "write_read_huge fell below write_read by 22.5 % (0.77 [0.72 .. 0.84] times in 3 "
            "rounds)");
  EXPECT_TRUE(r.warnings.empty());
}

// One that two equal rungs have as well is no fall; but the medians do not rise either.
TEST(LadderReport, AFallWithinTheNoiseIsNone) {
  const LadderReport r = report(ladder_of({{2, 1.9}, {2, 1.8}, {2, 2.2}}));
  EXPECT_TRUE(r.falls.empty());
  EXPECT_FALSE(r.monotone.has_value());
  EXPECT_NE(r.monotone.reason.find("write_read_huge is below write_read"), std::string::npos);
}

// Paired they rise, but the table shows medians.
TEST(LadderReport, MonotoneAgreesWithTheMedians) {
  const LadderReport r = report(ladder_of({{1, 1.1}, {3, 1.2}, {1.2, 1.3}, {2, 2.1}, {9, 1.1}}));
  EXPECT_GE(r.rungs[1].times_first->median, 1);
  EXPECT_LT(r.rungs[1].rate->median, r.rungs[0].rate->median);
  EXPECT_FALSE(r.monotone.has_value());
}

TEST(LadderReport, NamesWhatWasNotAsAskedOnce) {
  Ladder ladder = ladder_of({{1, 10}, {1, 10}});
  for (const size_t i : {1u, 3u})
    ladder.runs[i].trial.end.effective.mismatches = {{"pages", "thp", "4k", "not granted"}};
  const LadderReport r = report(ladder);
  EXPECT_TRUE(r.rungs[0].mismatches.empty());
  EXPECT_EQ(r.rungs[1].mismatches.size(), 1u);
}

// Rates of nothing are no numbers to divide by.
TEST(LadderReport, AStandstillSpoilsOnlyItself) {
  const LadderReport r = report(ladder_of({{0, 10}, {1, 10}, {1, 12}}));
  EXPECT_DOUBLE_EQ(r.rungs[1].times_first->median, 11);
  EXPECT_EQ(r.rungs[1].times_first->count, 2u);
  const LadderReport still = report(ladder_of({{0, 0}, {0, 0}}));
  EXPECT_FALSE(still.rungs[1].times_first.has_value());
  EXPECT_DOUBLE_EQ(still.drift->farthest.ratio, 1);
}

using Sequence = std::vector<size_t>;

TEST(LadderOrder, HasEveryRungOnce) {
  for (uint32_t round = 1; round <= 20; ++round) {
    Sequence order = ladder_order(7, 42, round);
    std::ranges::sort(order);
    EXPECT_EQ(order, (Sequence{0, 1, 2, 3, 4, 5, 6}));
  }
  EXPECT_EQ(ladder_order(1, 42, 1), Sequence{0});
}

TEST(LadderOrder, DependsOnSeedAndRoundAlone) {
  EXPECT_EQ(ladder_order(7, 42, 1), ladder_order(7, 42, 1));
  EXPECT_NE(ladder_order(7, 42, 1), ladder_order(7, 42, 2));
  EXPECT_NE(ladder_order(7, 42, 1), ladder_order(7, 43, 1));
  // As on any other machine, so that a seed can be told to somebody else.
  EXPECT_EQ(ladder_order(7, 42, 1), (Sequence{4, 5, 1, 2, 6, 3, 0}));
}

TEST(LadderOrder, PutsEveryRungEverywhere) {
  std::set<size_t> first, last;
  for (uint32_t round = 1; round <= 200; ++round) {
    first.insert(ladder_order(7, 1, round).front());
    last.insert(ladder_order(7, 1, round).back());
  }
  EXPECT_EQ(first.size(), 7u);
  EXPECT_EQ(last.size(), 7u);
}

using Values = std::vector<std::string>;

std::string error_of(const char* name, const std::string& text) {
  try {
    sweep_of(knob(name), text);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Sweep, ARangeIsOfANumberAndAListOfAnyKnob) {
  EXPECT_TRUE(names_several(knob("pairs"), "1..4"));
  EXPECT_FALSE(names_several(knob("pairs"), "4"));
  EXPECT_FALSE(names_several(knob("pipe_size"), "1..4"));
  EXPECT_TRUE(names_several(knob("pipe_size"), "64K,1M"));
  EXPECT_EQ(sweep_of(knob("pairs"), "2..4").values, (Values{"2", "3", "4"}));
  EXPECT_EQ(sweep_of(knob("write_with"), "write,tee").values, (Values{"write", "tee"}));
  EXPECT_EQ(sweep_of_values(knob("gift")).values, (Values{"false", "true"}));
}

TEST(Sweep, EachMistakeIsOneClearLine) {
  EXPECT_EQ(error_of("pairs", "4..1"),
            "--pairs: \"4..1\" is out of range: give 2 to 64 values, from low to high");
  EXPECT_EQ(error_of("pairs", "1..x"),
            "--pairs: \"1..x\" is not a range: give a number, or two such as 1..4");
  EXPECT_EQ(error_of("pairs", "1..40"), "--pairs: \"17\" is out of range: give 1 to 16");
  EXPECT_EQ(error_of("write_with", "write,"),
            "--write_with: \"\" is not a valid value: give write, vmsplice, tee or splice");
}

}  // namespace

}  // namespace pipetop
