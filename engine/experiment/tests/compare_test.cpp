#include "engine/experiment/compare.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pipetop {
namespace {

using Outcome = RungChange::Outcome;

StoredRung rung(const std::string& name, double rate, int rounds = 8) {
  StoredRung rung{.name = name, .settings = {{"preset", name}}, .unit = "GiB/s"};
  for (int round = 0; round < rounds; ++round)
    rung.rounds.push_back(rate * (1 + 0.002 * (round % 4)));
  return rung;
}

StoredResult result(const std::string& file, std::vector<StoredRung> rungs) {
  return {.file = file, .kind = "ladder", .host = {{"kernel", "6.1"}}, .rungs = std::move(rungs)};
}

TEST(CompareResults, SaysWhatIsFasterSlowerAndTheSame) {
  const auto c = compare_results(result("a", {rung("x", 1), rung("y", 1), rung("z", 1)}),
                                 result("b", {rung("y", 0.9), rung("x", 1.1), rung("z", 1)}));
  ASSERT_EQ(c.rungs.size(), 3u);
  EXPECT_EQ(c.rungs[0].name, "x");
  EXPECT_EQ(c.rungs[0].outcome, Outcome::faster);
  EXPECT_NEAR(c.rungs[0].ratio.ratio, 1.1, 0.005);
  EXPECT_EQ(c.rungs[1].outcome, Outcome::slower);
  EXPECT_EQ(c.rungs[2].outcome, Outcome::same);
  EXPECT_LT(c.rungs[2].within, 0.01);
  EXPECT_NEAR(c.level, 1 - 0.05 / 3, 1e-9) << "all three hold together";
  EXPECT_TRUE(c.facts.empty());
}

TEST(CompareResults, FewRoundsTellNothingAndSayHowManyWould) {
  const auto c = compare_results(result("a", {rung("x", 1, 3)}), result("b", {rung("x", 9, 3)}));
  EXPECT_EQ(c.rungs[0].outcome, Outcome::unknown);
  EXPECT_EQ(c.rungs[0].more_rounds, 1u);
  const auto d = compare_results(result("a", {rung("x", 1, 4)}), result("b", {rung("x", 9, 4)}));
  EXPECT_EQ(d.rungs[0].outcome, Outcome::faster);
  // The manual has these.
  for (const auto& [few, others] : {std::pair{3, 5}, {2, 8}, {1, 39}}) {
    const auto told = [&, few = few](int rounds) {
      const StoredResult a = result("a", {rung("x", 1, few)});
      return compare_results(a, result("b", {rung("x", 9, rounds)})).rungs[0].outcome;
    };
    EXPECT_EQ(told(others - 1), Outcome::unknown) << few;
    EXPECT_EQ(told(others), Outcome::faster) << few;
  }
}

TEST(CompareResults, PairsWhatHasTheSameSettings) {
  StoredRung newer = rung("renamed", 1);
  newer.settings = {{"preset", "x"}, {"knob of a later version", "1"}};
  StoredRung other_unit = rung("y", 1);
  other_unit.unit = "k rules/s";
  const auto c =
      compare_results(result("a", {rung("x", 1), rung("y", 1)}), result("b", {other_unit, newer}));
  ASSERT_EQ(c.rungs.size(), 1u);
  EXPECT_EQ(c.rungs[0].name, "x");
  EXPECT_EQ(c.only_before, std::vector<std::string>{"y"});
  EXPECT_EQ(c.only_after, std::vector<std::string>{"y"});
}

TEST(CompareResults, SaysWhatDiffersBetweenTheMachines) {
  StoredResult a = result("a", {rung("x", 1)}), b = a;
  b.host = {{"kernel", "6.18"}, {"thp", "always"}};
  const auto c = compare_results(a, b);
  ASSERT_EQ(c.facts.size(), 2u);
  EXPECT_EQ(c.facts[0].before, "6.1");
  EXPECT_EQ(c.facts[0].after, "6.18");
  EXPECT_EQ(c.facts[1].before, "unknown");
}

TEST(CompareResults, SaysWhereItWasNoisier) {
  StoredResult a = result("a", {rung("x", 1)}), b = a;
  a.rungs[0].rounds = {1, 1.001, 1.002, 1.003};
  b.rungs[0].rounds = {0.9, 1, 1.1, 1.2};
  a.steal = 0.001;
  b.steal = 0.05;
  const auto c = compare_results(a, b);
  ASSERT_EQ(c.facts.size(), 2u);
  EXPECT_EQ(c.facts[0].fact, "steal");
  EXPECT_EQ(c.facts[0].before + " -> " + c.facts[0].after, "0.1 % -> 5.0 %");
  EXPECT_EQ(c.facts[1].fact, "noise of a round");
  EXPECT_EQ(c.facts[1].after, "14.3 %");
  EXPECT_TRUE(compare_results(a, a).facts.empty());
}

TEST(CompareResults, OfCostsTheLowerIsFaster) {
  StoredRung a = rung("syscall_ns", 1), b = rung("syscall_ns", 0.5);
  a.unit = b.unit = std::string(kCostUnit);
  const auto c = compare_results(result("a", {a}), result("b", {b}));
  ASSERT_EQ(c.rungs.size(), 1u);
  EXPECT_EQ(c.rungs[0].outcome, RungChange::Outcome::faster);
  EXPECT_NEAR(c.rungs[0].ratio.ratio, 2, 0.1);
}

TEST(CompareResults, NamesTheFunctionsWhoseSharesChangedMost) {
  StoredRung a = rung("x", 1), b = a;
  a.functions = {{"writer f", {0.2, 0.02, 78}}, {"writer g", {0.10, 0.02, {}}}};
  b.functions = {{"writer f", {0.3, 0.02, 131}},
                 {"writer g", {0.11, 0.02, {}}},
                 {"reader h", {0.05, 0.02, {}}}};
  const auto c = compare_results(result("a", {a}), result("b", {b}));
  EXPECT_EQ(c.rungs[0].functions,
            (std::vector<std::string>{"writer f 78 -> 131 ns a page", "reader h 0.0 -> 5.0 %"}));
}

TEST(CompareResults, TheExitStatusIsForScripts) {
  const StoredResult a = result("a", {rung("x", 1), rung("y", 1)});
  const auto exit_of = [&](double x, int rounds) {
    const auto c = compare_results(a, result("b", {rung("x", x, rounds), rung("y", 1)}));
    EXPECT_EQ(assess(c, {}).exit, Exit::ok);
    return assess(c, 0.05).exit;
  };
  EXPECT_EQ(exit_of(1.1, 8), Exit::ok);
  EXPECT_EQ(exit_of(0.97, 8), Exit::ok) << "slower, but not by 5 %";
  EXPECT_EQ(exit_of(0.95, 8), Exit::untrustworthy) << "some of the interval is below";
  EXPECT_EQ(exit_of(0.97, 2), Exit::untrustworthy) << "it is not known";
  EXPECT_EQ(exit_of(0.9, 8), Exit::slower);
  EXPECT_EQ(assess(compare_results(a, result("b", {rung("z", 1)})), 0.05).exit,
            Exit::untrustworthy);
}

TEST(CompareResults, WhatIsMissingOrInDoubtIsNotAsFastAsBefore) {
  const StoredResult a = result("a", {rung("x", 1), rung("y", 1)});
  const Assessment missing = assess(compare_results(a, result("b", {rung("y", 1)})), 0.05);
  EXPECT_EQ(missing.exit, Exit::untrustworthy);
  EXPECT_EQ(missing.warnings,
            std::vector<std::string>{"x is not in b: it can't be told whether it is slower"});
  EXPECT_EQ(assess(compare_results(result("b", {rung("y", 1)}), a), 0.05).exit, Exit::ok)
      << "a new one";
  StoredResult b = a;
  b.file = "b";
  b.doubts = {"it isn't complete"};
  const Assessment doubtful = assess(compare_results(a, b), 0.05);
  EXPECT_EQ(doubtful.exit, Exit::untrustworthy);
  EXPECT_EQ(doubtful.warnings, std::vector<std::string>{"b: it isn't complete"});
  b.rungs[0] = rung("x", 0.5);
  EXPECT_EQ(assess(compare_results(a, b), 0.05).exit, Exit::slower);
}

// What moved nothing in every other round can't be told to be as fast as before.
TEST(CompareResults, ARoundOfZeroIsTheSlowest) {
  const StoredResult a = result("a", {rung("x", 1)});
  StoredResult half = a, none = a;
  for (size_t i = 0; i < 8; ++i) none.rungs[0].rounds[i] = 0;
  for (size_t i = 0; i < 8; i += 2) half.rungs[0].rounds[i] = 0;
  const auto outcome_of = [](const StoredResult& before, const StoredResult& after, Exit exit) {
    for (const auto& c :
         {compare_results(before, after), compare_in_turns(before, after, 0.05).comparison}) {
      EXPECT_EQ(assess(c, 0.05).exit, exit) << c.in_turns;
      EXPECT_FALSE(std::isnan(c.rungs[0].ratio.ratio));
      EXPECT_EQ(c.rungs[0].rounds_after, 8u);
    }
    return compare_results(before, after).rungs[0];
  };
  const RungChange often = outcome_of(a, half, Exit::untrustworthy);
  EXPECT_EQ(often.outcome, Outcome::unknown);
  EXPECT_EQ(often.more_rounds, 8u);
  EXPECT_NEAR(often.after, 0.5, 0.01);
  EXPECT_EQ(outcome_of(a, none, Exit::slower).outcome, Outcome::slower);
  EXPECT_EQ(outcome_of(none, none, Exit::ok).outcome, Outcome::same);
  EXPECT_EQ(outcome_of(none, a, Exit::ok).outcome, Outcome::faster);
  EXPECT_EQ(compare_results(half, a).rungs[0].outcome, Outcome::unknown);
}

TEST(StoredRate, IsTheMedianOfTheSameSettings) {
  const StoredResult stored = result("a", {rung("x", 1), rung("y", 2)});
  EXPECT_NEAR(*rate_in(stored, {{"preset", "y"}, {"newer", "1"}}, "GiB/s"), 2.006, 0.001);
  EXPECT_FALSE(rate_in(stored, {{"preset", "z"}}, "GiB/s"));
  EXPECT_FALSE(rate_in(stored, {{"preset", "y"}}, "k rules/s"));
}

TEST(CompareInTurns, PairsCancelWhatBothHaveInCommon) {
  StoredRung a = rung("x", 1), b = a;
  for (size_t i = 0; i < a.rounds.size(); ++i) {  // the machine becomes four times as fast
    a.rounds[i] = 1 + double(i) * 0.4;
    b.rounds[i] = a.rounds[i] * 1.03;
  }
  const StoredResult before = result("a", {a}), after = result("b", {b});
  EXPECT_EQ(compare_results(before, after).rungs[0].outcome, Outcome::unknown);
  const InTurns turns = compare_in_turns(before, after, 0.02);
  EXPECT_TRUE(turns.is_final);
  EXPECT_EQ(turns.comparison.rungs[0].outcome, Outcome::faster);
  EXPECT_NEAR(turns.comparison.rungs[0].ratio.low, 1.03, 1e-9);
}

// Each time in another order, and one that only some runs have.
TEST(CompareInTurns, RungsArePairedByNameAndSettings) {
  StoredResult a, b;
  const auto add = [&](std::vector<StoredRung> of_a, std::vector<StoredRung> of_b) {
    add_pair(a, b, result("a", std::move(of_a)), result("b", std::move(of_b)));
  };
  for (int pair = 0; pair < 12; ++pair) {
    add({rung("x", 1, 1), rung("y", 5, 1)}, {rung("y", 5, 1), rung("x", 1, 1), rung("z", 3, 1)});
    add({rung("y", 5, 1)}, {rung("x", 2, 1), rung("y", 5, 1)});
  }
  const ResultComparison c = compare_in_turns(a, b, 0.05).comparison;
  ASSERT_EQ(c.rungs.size(), 2u);
  EXPECT_EQ(c.rungs[0].name + c.rungs[1].name, "xy");
  EXPECT_EQ(c.rungs[0].rounds_before, 12u) << "those that both had";
  EXPECT_EQ(c.rungs[0].rounds_after, 12u);
  EXPECT_EQ(c.rungs[0].outcome, Outcome::same);
  EXPECT_EQ(c.rungs[1].rounds_after, 24u);
  EXPECT_EQ(c.rungs[1].outcome, Outcome::same);
  EXPECT_EQ(c.only_after, std::vector<std::string>{"z"});
}

}  // namespace
}  // namespace pipetop
