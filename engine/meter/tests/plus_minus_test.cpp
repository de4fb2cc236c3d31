// The 95 % interval of a mean, on rates as a disturbed machine makes them: neighbours are alike,
// and all of it drifts.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/meter/statistics.h"

namespace pipetop {
namespace {

// Rates of 100 ms.
class Host {
 public:
  Host(uint32_t seed, double alike, double scatter, double drift_per_s)
      : random_(seed), alike_(alike), scatter_(scatter), drift_(drift_per_s) {}

  std::vector<double> rates(size_t count) {
    std::vector<double> rates(count);
    for (double& rate : rates) {
      now_ = alike_ * now_ + std::sqrt(1 - alike_ * alike_) * scatter_ * normal_(random_);
      slow_ += drift_ * std::sqrt(0.1) * normal_(random_);
      rate = std::exp(now_ + slow_);
    }
    return rates;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  double alike_, scatter_, drift_, now_ = 0, slow_ = 0;
};

double mean_of(const std::vector<double>& rates) {
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum / double(rates.size());
}

bool differ(const std::vector<double>& before, const std::vector<double>& after) {
  const double a = mean_of(before), b = mean_of(after);
  return std::abs(std::log(b / a)) > std::hypot(*plus_minus(before) / a, *plus_minus(after) / b);
}

// How many of a hundred changes that change nothing are claimed after so many seconds.
int claims(double alike, double scatter, double drift, size_t seconds) {
  int claimed = 0;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    Host host(seed, alike, scatter, drift);
    host.rates(100);
    const std::vector<double> before = host.rates(10 * seconds);
    host.rates(2);
    claimed += differ(before, host.rates(10 * seconds));
  }
  return claimed;
}

TEST(PlusMinus, ChangesOfNothingAreNotClaimed) {
  for (const size_t seconds : {1, 3, 5, 10, 30}) {
    EXPECT_LE(claims(0, 0.05, 0, seconds), 7) << seconds;
    EXPECT_LE(claims(0.8, 0.1, 0, seconds), 7) << seconds;
    EXPECT_LE(claims(0.8, 0.1, 0.01, seconds), 7) << seconds;
    EXPECT_LE(claims(0.95, 0.1, 0, seconds), 7) << seconds;
  }
}

TEST(PlusMinus, WhatIsFarAboveTheNoiseIsFoundSoon) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    Host host(seed, 0.5, 0.03, 0.002);
    const std::vector<double> before = host.rates(50);
    std::vector<double> after = host.rates(10);
    for (double& rate : after) rate *= 3;
    EXPECT_TRUE(differ(before, after)) << seed;
  }
}

TEST(PlusMinus, IsUnknownOfTooFew) {
  EXPECT_FALSE(plus_minus({}));
  EXPECT_FALSE(plus_minus(std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(plus_minus(std::vector<double>(100, 2.0)), 0);
  EXPECT_FALSE(plus_minus(std::vector<double>{0, 0, 0, 0, 90, 0})) << "37 +- 91 says nothing";
}

TEST(Student, IsThatOfTheTables) {
  EXPECT_NEAR(student(3), 3.182, 1e-3);
  EXPECT_NEAR(student(12), 2.179, 2e-3);
  EXPECT_NEAR(student(1e12), 1.96, 1e-3);
  EXPECT_NEAR(student(0.2), 12.71, 1e-2) << "less than one is as little as one";
  EXPECT_NEAR(student(7, 0.99), 3.499, 2e-2);
}

TEST(RatioIntervals, AreOfTheGeometricMean) {
  const RatioInterval two = ratio_interval(std::vector<double>{1, 4});
  EXPECT_DOUBLE_EQ(two.ratio, 2);
  EXPECT_NEAR(std::log(two.high / two.ratio), 12.71 * std::log(2), 1e-3);
  EXPECT_FALSE(two.differs());
  EXPECT_TRUE(ratio_interval(std::vector<double>{1.05, 1.06, 1.05, 1.04}).differs());
  const RatioInterval one = ratio_interval(std::vector<double>{3});
  EXPECT_DOUBLE_EQ(one.ratio, 3);
  EXPECT_FALSE(one.is_known());
  EXPECT_FALSE(one.differs());
  EXPECT_FALSE(ratio_interval({}).differs());
}

}  // namespace
}  // namespace pipetop
