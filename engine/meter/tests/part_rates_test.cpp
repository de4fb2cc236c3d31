#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/meter/worker_meters.h"

namespace pipetop {
namespace {

TEST(RateBetween, IsUnknownIfNothingWasTimed) {
  EXPECT_DOUBLE_EQ(*rate_between({1000, kSecond}, {4000, 3 * kSecond}, 500), 3);
  EXPECT_FALSE(rate_between({1000, kSecond}, {4000, kSecond}, 500).has_value());
}

TEST(PartRates, EachHasTheRateOfItsOwnClock) {
  PartRates rates(1000);
  std::vector<PartProgress> parts = {{"a", 0, {}}, {"b", 0, {}}};
  EXPECT_EQ(rates.describe(parts)[0].rate.status, ReadingStatus::warming);
  for (uint64_t ms = 0; ms <= 2000; ms += 50) {
    parts[0].progress = {ms * 5, ms * kMs};
    parts[1].progress = {ms * 5, ms * kMs / 2};  // it counts half of the time
    rates.sample(ms * kMs, parts);
  }
  const auto views = rates.describe(parts);
  EXPECT_NEAR(*views[0].rate, 5, 1e-9);
  EXPECT_NEAR(*views[1].rate, 10, 1e-9);
}

TEST(PartRates, OneThatBeginsAnewUnderTheSameNameIsAnother) {
  PartRates rates(1);
  std::vector<PartProgress> parts = {{"a", 0, {1000, 1000 * kMs}}};
  rates.sample(1000 * kMs, parts);
  parts[0].progress = {0, 1300 * kMs};
  rates.sample(1300 * kMs, parts);
  EXPECT_EQ(rates.describe(parts)[0].rate.status, ReadingStatus::warming);
}

}  // namespace
}  // namespace pipetop
