#include "engine/meter/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace pipetop {
namespace {

// The figures are numpy's: np.quantile(values, share).

TEST(Statistics, TheMedianOfTwoLiesBetweenThem) {
  EXPECT_DOUBLE_EQ(median({1, 2}), 1.5);
  EXPECT_DOUBLE_EQ(median({2, 1}), 1.5);
  EXPECT_DOUBLE_EQ(median({9, 1, 2}), 2);
}

TEST(Statistics, AQuantileIsInterpolated) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.75), 3.25);
  EXPECT_DOUBLE_EQ(quantile({15, 20, 35, 40, 50}, 0.4), 29);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
}

TEST(Statistics, NothingHasNoMedian) {
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(quantile({}, 1)));
}

TEST(Statistics, TheSpreadIsThatOfNumpyAndPandas) {
  const Spread s = spread_of({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(s.median, 2.5);
  EXPECT_DOUBLE_EQ(s.lower, 1.75);
  EXPECT_DOUBLE_EQ(s.upper, 3.25);
  EXPECT_EQ(s.least, 1);
  EXPECT_EQ(s.most, 4);
  EXPECT_EQ(s.count, 4u);
}

TEST(Statistics, TheSpreadOfOneValueIsThatValue) {
  const Spread s = spread_of({7});
  EXPECT_EQ(s.median, 7);
  EXPECT_EQ(s.lower, 7);
  EXPECT_EQ(s.upper, 7);
  EXPECT_EQ(s.count, 1u);
}

using Figures = std::vector<double>;

TEST(TuneStatistics, ConfidenceIsThatOfTheSignedRanks) {
  // All pairs agree: by chance once in two to the power of their number, and as often the other
  // way round.
  EXPECT_DOUBLE_EQ(compare_ratios(Figures{1.1, 1.2, 1.3}).confidence, 1 - 2.0 / 8);
  EXPECT_DOUBLE_EQ(compare_ratios(Figures{1.1, 1.2, 1.3, 1.4, 1.5}).confidence, 1 - 2.0 / 32);
  // Which side it is on does not matter.
  EXPECT_DOUBLE_EQ(compare_ratios(Figures{0.9, 0.8, 0.7}).confidence, 1 - 2.0 / 8);
  // The smallest of five disagrees: sums of 14 and 15 of 32.
  EXPECT_DOUBLE_EQ(compare_ratios(Figures{0.99, 1.2, 1.3, 1.4, 1.5}).confidence, 1 - 4.0 / 32);
  // Equal ones say nothing, and two that differ as much to either side nothing together.
  EXPECT_DOUBLE_EQ(compare_ratios(Figures{1, 1, 1}).confidence, 0);
  EXPECT_DOUBLE_EQ(compare_ratios(Figures{2, 0.5}).confidence, 0);
  EXPECT_EQ(compare_ratios({}).pairs, 0u);
}

TEST(TuneStatistics, FewPairsHaveAnIntervalOfLowConfidence) {
  const PairedComparison three = compare_ratios(Figures{1.1, 1.2, 1.3});
  EXPECT_DOUBLE_EQ(three.low, 1.1);
  EXPECT_DOUBLE_EQ(three.high, 1.3);
  EXPECT_DOUBLE_EQ(three.level, 0.75);
  Figures many;
  for (int i = 0; i < 20; ++i) many.push_back(1 + 0.01 * i);
  const PairedComparison twenty = compare_ratios(many);
  EXPECT_DOUBLE_EQ(twenty.level, 0.95);
  EXPECT_GT(twenty.low, 1.05);
  EXPECT_LT(twenty.high, 1.15);
}

TEST(TuneStatistics, TheIntervalHoldsTheTruthAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(std::log(1.1), 0.05);
  int held = 0;
  constexpr int kTimes = 2000;
  for (int time = 0; time < kTimes; ++time) {
    Figures ratios(10);
    for (double& ratio : ratios) ratio = std::exp(noise(random));
    const PairedComparison c = compare_ratios(ratios);
    held += c.low <= 1.1 && 1.1 <= c.high;
  }
  EXPECT_GT(held, 0.94 * kTimes);
  EXPECT_LT(held, 0.975 * kTimes);
}

TEST(TuneStatistics, PairsAreComparedWithinThemselves) {
  // The machine drifts by a factor of four; each pair says the same.
  const Figures a = {110, 55, 27.5, 110, 55, 27.5}, b = {100, 50, 25, 100, 50, 25};
  const PairedComparison c = compare_paired(a, b);
  EXPECT_NEAR(c.ratio, 1.1, 1e-9);
  EXPECT_NEAR(c.low, 1.1, 1e-9);
  // A pair that was not measured is none.
  EXPECT_EQ(compare_paired(Figures{1, 0, 2}, Figures{1, 1, 1}).pairs, 2u);
}

TEST(TuneStatistics, TheMiddleOfTwoIsTheirMeanAndOfManyIgnoresAnOutlier) {
  EXPECT_NEAR(middle_ratio(Figures{1, 4}), 2, 1e-9);
  EXPECT_NEAR(middle_ratio(Figures{1, 1.01, 1.02, 1.03, 0.001}), 1.01, 0.02);
  EXPECT_TRUE(std::isnan(middle_ratio({})));
}

TEST(TuneStatistics, DeviationIsWithinGroups) {
  const Figures steady[] = {{1, 1}, {7, 7, 7}, {3}};
  EXPECT_EQ(pooled_log_deviation(steady), 0);
  const double e = std::exp(1);
  const Figures apart[] = {{1, e * e}, {5, 5 * e * e}};
  EXPECT_NEAR(pooled_log_deviation(apart), std::sqrt(2), 1e-9);
  const Figures single[] = {{1}, {2}};
  EXPECT_TRUE(std::isnan(pooled_log_deviation(single)));
}

TEST(UnpairedComparison, IsExactForAFew) {
  const Figures a = {1, 2, 3, 4, 5}, b = {6, 7, 8, 9, 10};
  const UnpairedComparison c = compare_unpaired(a, b);
  EXPECT_NEAR(c.chance, 2.0 / 252, 1e-12);
  EXPECT_GT(c.low, 1);
  const UnpairedComparison back = compare_unpaired(b, a);
  EXPECT_NEAR(back.ratio, 1 / c.ratio, 1e-12);
  EXPECT_NEAR(back.low, 1 / c.high, 1e-12);
  EXPECT_NEAR(compare_unpaired(a, a).chance, 1, 1e-12);
  EXPECT_FALSE(compare_unpaired(Figures{1, 2, 3}, Figures{4, 5, 6}).is_known) << "20 orders";
  EXPECT_FALSE(compare_unpaired({}, a).is_known);
}

TEST(UnpairedComparison, TheIntervalLeavesOutOneWhereTheTestFindsADifference) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.1);
  for (int time = 0; time < 500; ++time) {
    Figures a(5 + time % 7), b(5 + time % 5);
    for (double& x : a) x = std::exp(noise(random));
    for (double& x : b) x = 1.1 * std::exp(noise(random));
    const UnpairedComparison c = compare_unpaired(a, b);
    EXPECT_EQ(c.low > 1 || c.high < 1, c.chance <= 0.05) << time;
  }
}

TEST(UnpairedComparison, EqualOnesSeldomDifferAndFivePercentAreFound) {
  std::mt19937 random(2);
  std::normal_distribution<double> noise(0, 0.03);
  constexpr int kTimes = 1000;
  int different = 0, found = 0, held = 0;
  for (int time = 0; time < kTimes; ++time) {
    Figures a(12), same(12), faster(12);
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = std::exp(noise(random));
      same[i] = std::exp(noise(random));
      faster[i] = 1.05 * std::exp(noise(random));
    }
    const UnpairedComparison equal = compare_unpaired(a, same);
    different += equal.low > 1 || equal.high < 1;
    const UnpairedComparison c = compare_unpaired(a, faster);
    found += c.low > 1;
    held += c.low <= 1.05 && 1.05 <= c.high;
  }
  EXPECT_LE(different, 0.06 * kTimes);
  EXPECT_GE(found, 0.95 * kTimes);
  EXPECT_GE(held, 0.94 * kTimes);
}

TEST(UnpairedComparison, ZeroIsBelowAllOthers) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const Figures steady(8, 1), still(8, 0), half = {0, 0, 0, 0, 1, 1, 1, 1};
  const UnpairedComparison stopped = compare_unpaired(steady, still);
  EXPECT_EQ(stopped.ratio, 0);
  EXPECT_TRUE(stopped.is_known);
  EXPECT_EQ(stopped.low, 0);
  EXPECT_EQ(stopped.high, 0);
  EXPECT_LT(stopped.chance, 0.001);
  const UnpairedComparison begun = compare_unpaired(still, steady);
  EXPECT_EQ(begun.ratio, kInfinite);
  EXPECT_EQ(begun.low, kInfinite);
  EXPECT_EQ(compare_unpaired(still, still).ratio, 1);
  EXPECT_EQ(compare_unpaired(still, still).high, 1);
  const UnpairedComparison often = compare_unpaired(steady, half);
  EXPECT_EQ(often.low, 0);
  EXPECT_DOUBLE_EQ(often.ratio, 0.5);
  EXPECT_EQ(often.high, 1);
  EXPECT_DOUBLE_EQ(compare_unpaired(half, steady).ratio, 2);
  EXPECT_EQ(compare_unpaired(half, steady).high, kInfinite);
  EXPECT_EQ(compare_unpaired(half, half).ratio, 1);
}

TEST(TuneStatistics, InPairsZeroWasNotMeasuredOrIsSlowest) {
  const Figures steady(8, 1), still(8, 0), half = {0, 1, 0, 1, 0, 1, 0, 1};
  EXPECT_EQ(compare_paired(half, steady).pairs, 4u);
  const PairedComparison slower = compare_paired(still, steady, 0.95, Zeros::slowest);
  EXPECT_EQ(slower.pairs, 8u);
  EXPECT_EQ(slower.high, 0);
  EXPECT_GT(slower.confidence, 0.99);
  const PairedComparison often = compare_paired(half, steady, 0.95, Zeros::slowest);
  EXPECT_EQ(often.low, 0);
  EXPECT_EQ(often.high, 1);
  EXPECT_EQ(compare_paired(still, still, 0.95, Zeros::slowest).ratio, 1);
  // A pair to either side says nothing.
  EXPECT_EQ(compare_paired(Figures{0, 1}, Figures{1, 0}, 0.95, Zeros::slowest).ratio, 1);
}

// All ratios, listed and sorted.
TEST(UnpairedComparison, TheRatioIsTheMiddleOfAll) {
  std::mt19937 random(3);
  for (size_t time = 0; time < 200; ++time) {
    Figures a(1 + time % 9), b(1 + time % 7), ratios;
    for (double& x : a) x = double(1 + random() % 5);
    for (double& x : b) x = double(1 + random() % 5);
    for (const double x : a)
      for (const double y : b) ratios.push_back(std::log(y) - std::log(x));
    EXPECT_NEAR(compare_unpaired(a, b).ratio, std::exp(median(ratios)), 1e-12) << time;
    ratios.clear();
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t j = i; j < a.size(); ++j) ratios.push_back(std::log(a[i] * a[j]) / 2);
    EXPECT_NEAR(middle_ratio(a), std::exp(median(ratios)), 1e-12) << time;
  }
}

// Beyond what is exact: as often as with few.
TEST(UnpairedComparison, OfManyTheIntervalsHoldAsOftenAsTheySay) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> noise(0, 0.1);
  constexpr int kTimes = 400;
  int held = 0, held_in_pairs = 0;
  for (int time = 0; time < kTimes; ++time) {
    Figures a(130), b(120), ratios(120);
    for (double& x : a) x = std::exp(noise(random));
    for (double& x : b) x = 1.02 * std::exp(noise(random));
    for (double& x : ratios) x = 1.02 * std::exp(noise(random));
    const UnpairedComparison c = compare_unpaired(a, b);
    held += c.low <= 1.02 && 1.02 <= c.high;
    const PairedComparison pairs = compare_ratios(ratios);
    EXPECT_NEAR(pairs.level, 0.95, 1e-9);
    held_in_pairs += pairs.low <= 1.02 && 1.02 <= pairs.high;
  }
  for (const int count : {held, held_in_pairs}) {
    EXPECT_GE(count, 0.92 * kTimes);
    EXPECT_LE(count, 0.98 * kTimes);
  }
}

// Their ratios would take gigabytes, and the table of an exact test more than there is.
TEST(UnpairedComparison, TakesHundredThousandRounds) {
  Figures a, b;
  for (int i = 0; i < 100'000; ++i) {
    a.push_back(1 + 1e-6 * i);
    b.push_back(1.1 * a.back());
  }
  const UnpairedComparison c = compare_unpaired(a, b);
  EXPECT_NEAR(c.ratio, 1.1, 1e-6);
  EXPECT_NEAR(c.low, 1.1, 1e-3);
  EXPECT_NEAR(c.high, 1.1, 1e-3);
  EXPECT_LT(c.low, c.high);
  const PairedComparison pairs = compare_paired(b, a);
  EXPECT_NEAR(pairs.low, 1.1, 1e-9);
  EXPECT_GT(pairs.confidence, 0.999);
}

}  // namespace

}  // namespace pipetop
