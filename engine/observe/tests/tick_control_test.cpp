#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/observe/ticks.h"
#include "engine/tests/eventually.h"

namespace pipetop::observe {
namespace {

std::optional<TickCost> ten_us() { return TickCost{10'000, 9'000, 11'000}; }

// Once it knows what a tick costs.
void learn(TickControl& control, SamplingEvent& event) {
  EXPECT_TRUE(eventually([&] {
    control.poll(kSecond, {});
    control.describe(event);
    return event.price.has_value();
  }));
}

SamplingEvent described(const TickControl& control) {
  SamplingEvent event = {.name = "cpu-clock"};
  control.describe(event);
  return event;
}

TEST(TickControl, AFixedFrequencyStaysFixed) {
  const uint32_t hz = std::min(97u, max_sample_hz());
  TickControl control(hz, ten_us);
  EXPECT_EQ(control.most_hz(), hz);
  uint64_t sleeps = 0;
  for (uint64_t now_ns = kSecond; now_ns < 20 * kSecond; now_ns += 50 * kMs, sleeps += 1000)
    ASSERT_EQ(control.poll(now_ns, sleeps), TickRate{hz});
  EXPECT_EQ(described(control).rate(), std::to_string(hz) + " Hz");
}

TEST(TickControl, AnAutomaticOneIsTheHighestForHalfAPercent) {
  TickControl control(0, ten_us);
  SamplingEvent event = {.name = "cpu-clock"};
  learn(control, event);
  EXPECT_EQ(control.poll(kSecond, {}), TickRate{249});
  EXPECT_EQ(event.rate() + event.cost(), "249 Hz, costs <1 %");
  EXPECT_FALSE(event.between_ticks.has_value());
}

TEST(TickControl, ItHurriesForAMoment) {
  TickControl control(0, ten_us);
  SamplingEvent event = {.name = "cpu-clock"};
  learn(control, event);
  const auto hz_at = [&](uint64_t ms) { return control.poll(ms * kMs, 0).hz; };
  EXPECT_EQ(hz_at(2000), 249u);
  control.hurry(3000 * kMs);
  EXPECT_EQ(hz_at(3000), control.most_hz());
  EXPECT_EQ(hz_at(3499), control.most_hz());
  EXPECT_EQ(described(control).hz, 249u);
  EXPECT_EQ(hz_at(3500), 249u);
}

TEST(TickControl, AChangeEndsTheSlices) {
  TickControl control(0, ten_us);
  uint64_t sleeps = 0;
  const auto lasts_at = [&](uint64_t ms) { return control.poll(ms * kMs, sleeps += 500).lasts; };
  EXPECT_TRUE(lasts_at(1000));
  EXPECT_FALSE(lasts_at(1200));
  control.hurry(1200 * kMs);
  EXPECT_TRUE(lasts_at(1250));
  EXPECT_TRUE(lasts_at(1400));
  EXPECT_FALSE(lasts_at(1450)) << "sleeping as often as before";
}

TEST(TickControl, AnAutomaticOneComesInSlicesWhileThePipeSleepsOften) {
  TickControl control(0, ten_us);
  SamplingEvent event = {.name = "cpu-clock"};
  learn(control, event);
  EXPECT_TRUE(control.poll(kSecond, {}).lasts) << "nobody counts sleeps";
  uint64_t sleeps = 0;
  int rare = 0, slice = 0;
  for (uint64_t now_ns = kSecond; now_ns < 21 * kSecond; now_ns += 50 * kMs, sleeps += 100) {
    const TickRate rate = control.poll(now_ns, sleeps);
    if (rate.lasts) continue;
    ++(rate.hz == TickSlices::kRareHz ? rare : slice);
    EXPECT_EQ(control.ticks(), rate.hz == TickSlices::kRareHz ? Ticks::rare : Ticks::slice);
  }
  EXPECT_NEAR(slice, (rare + slice) / 10, 2);
  control.describe(event);
  EXPECT_DOUBLE_EQ(event.share, 0.1);
  ASSERT_TRUE(event.price.has_value()) << "before it is measured on the pipe";
  EXPECT_DOUBLE_EQ(*event.price, price_of(0.1 * event.hz + 0.9 * TickSlices::kRareHz, 10'000));
  EXPECT_TRUE(event.rate().ends_with(" Hz 10 % of the time")) << event.rate();
  EXPECT_EQ(event.cost(), ", costs <1 %");
}

TEST(TickControl, ATickStandsForTheTimeToTheNextOne) {
  TickControl control(0, ten_us);
  SamplingEvent event = {.name = "cpu-clock"};
  learn(control, event);
  control.poll(2 * kSecond, 0);
  EXPECT_EQ(control.stands_for_ns(), kSecond / 249);
  control.hurry(3 * kSecond);
  control.poll(3 * kSecond, 0);
  EXPECT_EQ(control.stands_for_ns(), kSecond / control.most_hz());
}

TEST(TickControl, AllTicksOfASecondWithASliceStandForIt) {
  TickControl control(0, ten_us);
  SamplingEvent event = {.name = "cpu-clock"};
  learn(control, event);
  uint64_t sleeps = 0;
  double ticks = 0, told_ns = 0;
  for (uint64_t now_ns = 2 * kSecond; now_ns < 22 * kSecond; now_ns += 20 * kMs, sleeps += 100) {
    const TickRate rate = control.poll(now_ns, sleeps);
    if (rate.lasts) continue;
    ticks += 0.02;
    told_ns += 0.02 * rate.hz * control.stands_for_ns();
  }
  EXPECT_NEAR(told_ns / 1e9, ticks, 0.1 * ticks);
}

}  // namespace
}  // namespace pipetop::observe
