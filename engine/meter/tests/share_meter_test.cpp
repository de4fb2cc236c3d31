#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/meter/worker_meters.h"

namespace pipetop {
namespace {

constexpr uint64_t kBegin = 5'000 * kMs;

TaskTimes totals(uint64_t on_cpu_ms, uint64_t runnable_ms) {
  return {on_cpu_ms * kMs, runnable_ms * kMs};
}

TEST(ShareMeter, DivideTheTimeSinceTheyBegan) {
  ShareMeter times;
  times.begin(kBegin, totals(70, 30));
  const auto shares = times.shares(kBegin + 1000 * kMs, totals(570, 130));
  EXPECT_DOUBLE_EQ(*shares.on_cpu, 0.5);
  EXPECT_DOUBLE_EQ(*shares.runnable, 0.1);
  EXPECT_NEAR(*shares.blocked, 0.4, 1e-12);
}

TEST(ShareMeter, LeaveOutWhatLiesBetweenStretches) {
  ShareMeter times;
  times.begin(kBegin, totals(0, 0));
  times.pause(kBegin + 300 * kMs, totals(300, 0));
  times.begin(kBegin + 60'000 * kMs, totals(300, 0));
  const auto shares = times.shares(kBegin + 60'100 * kMs, totals(300, 0));
  EXPECT_DOUBLE_EQ(*shares.on_cpu, 0.75);
  EXPECT_DOUBLE_EQ(*shares.blocked, 0.25);
}

// The totals of another process begin at nothing.
TEST(ShareMeter, AddUpOverTwoProcesses) {
  ShareMeter times;
  times.begin(kBegin, totals(9'000, 0));
  times.pause(kBegin + 500 * kMs, totals(9'500, 0));
  times.begin(kBegin + 600 * kMs, totals(0, 0));
  const auto shares = times.shares(kBegin + 1100 * kMs, totals(0, 500));
  EXPECT_DOUBLE_EQ(*shares.on_cpu, 0.5);
  EXPECT_DOUBLE_EQ(*shares.runnable, 0.5);
  EXPECT_DOUBLE_EQ(*shares.blocked, 0);
}

TEST(ShareMeter, SayWhatTheyCannotTell) {
  ShareMeter times;
  EXPECT_EQ(times.shares(kBegin, totals(1, 1)).on_cpu.status, ReadingStatus::warming);
  times.begin(kBegin, totals(0, 0));
  EXPECT_EQ(times.shares(kBegin + 50 * kMs, totals(50, 0)).blocked.reason, "too short to measure");
  EXPECT_EQ(times.shares(kBegin + 500 * kMs, {}).blocked.status, ReadingStatus::unavailable);
  times.clear();
  EXPECT_FALSE(times.shares(kBegin + 500 * kMs, totals(500, 0)).on_cpu.has_value());
}

TEST(ShareMeter, CountSleepsAsTheyCountTime) {
  const auto slept = [](uint64_t sleeps, uint64_t wakeups) {
    TaskTimes t;
    t.voluntary_switches = sleeps;
    t.wakeups = wakeups;
    return t;
  };
  ShareMeter times;
  EXPECT_FALSE(times.sleeps(kBegin, slept(0, 0)));
  times.begin(kBegin, slept(100, 90));
  EXPECT_FALSE(times.sleeps(kBegin + 50 * kMs, slept(110, 100))) << "too short to say";
  times.pause(kBegin + 200 * kMs, slept(120, 109));
  times.begin(kBegin + 500 * kMs, slept(0, 0));  // a new process
  const auto sum = times.sleeps(kBegin + 600 * kMs, slept(5, 4));
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->wall_ns, 300 * kMs);
  EXPECT_EQ(sum->sleeps, 25u);
  EXPECT_EQ(sum->wakeups, 23u);
}

TEST(ShareMeter, AProcessLastSeenBeforeTheyBeganAddsNothing) {
  ShareMeter times;
  times.begin(kBegin, totals(100, 0));
  times.pause(kBegin - 10 * kMs, totals(90, 0));
  times.begin(kBegin, totals(0, 0));
  EXPECT_DOUBLE_EQ(*times.shares(kBegin + 200 * kMs, totals(50, 0)).on_cpu, 0.25);
}

}  // namespace
}  // namespace pipetop
