#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/meter/worker_meters.h"

namespace pipetop {
namespace {

Reading<TaskTimes> times_at(uint64_t on_cpu_ns, uint64_t runnable_ns, uint64_t blocked_ns,
                            uint64_t switches) {
  return Reading<TaskTimes>::of(
      {on_cpu_ns, runnable_ns, blocked_ns, 3 * switches, 2 * switches, switches});
}

// Two samples of ourselves, a second apart.
WorkerReadings view_of(const Reading<TaskTimes>& first, const Reading<TaskTimes>& second) {
  WorkerMeter meter;
  const WorkerCounts counters = {};
  const pid_t self[] = {getpid()};
  meter.sample(kSecond, counters, self, first);
  meter.sample(2 * kSecond, counters, self, second);
  WorkerReadings view;
  meter.describe(counters, view);
  return view;
}

TEST(WorkerMeter, CountsPollsAndHelpersAmongTheCalls) {
  WorkerMeter meter;
  const pid_t self[] = {getpid()};
  const WorkerCounts counts = {.items = 4000, .syscalls = 10, .polls = 40, .helper_calls = 20};
  meter.sample(kSecond, {}, self, {});
  meter.sample(2 * kSecond, counts, self, {});
  WorkerReadings view;
  meter.describe(counts, view);
  EXPECT_DOUBLE_EQ(*view.syscalls_per_s, 70);
  EXPECT_DOUBLE_EQ(*view.bytes_per_call, 400);
}

void expect_all_of_the_time(const WorkerReadings& view) {
  EXPECT_DOUBLE_EQ(*view.shares.on_cpu + *view.shares.runnable + *view.shares.blocked, 1.0);
}

TEST(WorkerMeter, KnowsTheCpuOfEachOfItsProcesses) {
  WorkerMeter meter;
  EXPECT_FALSE(meter.cpu_of(getpid()));
  const pid_t both[] = {getpid(), getppid()};
  meter.sample(kSecond, {}, both, {});
  for (const pid_t pid : both) EXPECT_GE(meter.cpu_of(pid).value_or(-1), 0);
  EXPECT_FALSE(meter.cpu_of(0)) << "it has no process";
}

// As when one of several workers dies, and when its successor comes.
TEST(WorkerMeter, RatesStartOverWhenTheProcessesChange) {
  const pid_t alone[] = {getpid()}, both[] = {getpid(), getppid()};
  const auto refused = Reading<TaskTimes>::unavailable("denied; sudo");
  for (const bool shrinks : {true, false}) {
    WorkerMeter meter;
    const std::span<const pid_t> before = shrinks ? std::span<const pid_t>(both) : alone;
    meter.sample(kSecond, {}, before, refused);
    meter.sample(kSecond + 300 * kMs, {}, {}, refused);  // none for a moment
    meter.sample(kSecond + 600 * kMs, {}, shrinks ? std::span<const pid_t>(alone) : both, refused);
    WorkerReadings view;
    meter.describe({}, view);
    EXPECT_EQ(view.context_switches_per_s.status, ReadingStatus::warming) << shrinks;
    EXPECT_EQ(view.page_faults_per_s.status, ReadingStatus::warming) << shrinks;
    EXPECT_TRUE(view.context_switches.has_value()) << shrinks;
  }
}

TEST(WorkerMeter, TakesTheObserversTimes) {
  const WorkerReadings view =
      view_of(times_at(500, 200, 300, 10),
              times_at(500 + 400'000'000, 200 + 100'000'000, 300 + 500'000'000, 110));
  EXPECT_EQ(view.times_source, "sched_switch");
  EXPECT_NEAR(*view.shares.on_cpu, 0.4, 1e-9);
  EXPECT_NEAR(*view.shares.runnable, 0.1, 1e-9);
  EXPECT_NEAR(*view.shares.blocked, 0.5, 1e-9);
  expect_all_of_the_time(view);
  EXPECT_DOUBLE_EQ(*view.voluntary_switches_per_s, 300);
  EXPECT_DOUBLE_EQ(*view.involuntary_switches_per_s, 200);
  EXPECT_DOUBLE_EQ(*view.wakeups_per_s, 100);
  EXPECT_EQ(*view.wakeups, 110u);
}

TEST(WorkerMeter, TakesSchedstatWithoutThem) {
  const auto refused = Reading<TaskTimes>::unavailable("denied; sudo");
  const WorkerReadings view = view_of(refused, refused);
  EXPECT_EQ(view.times_source, "schedstat");
  expect_all_of_the_time(view);
  EXPECT_TRUE(view.voluntary_switches_per_s.has_value());
  EXPECT_TRUE(view.involuntary_switches_per_s.has_value());
  EXPECT_EQ(view.wakeups_per_s.status, ReadingStatus::unavailable);
  EXPECT_EQ(view.wakeups_per_s.reason, "denied; sudo");
  EXPECT_EQ(view.wakeups.reason, "denied; sudo");
  EXPECT_EQ(*view.voluntary_switches + *view.involuntary_switches, *view.context_switches);
}

TEST(WorkerMeter, TakesSchedstatUntilTheyAreKnown) {
  const WorkerReadings view =
      view_of(Reading<TaskTimes>::warming("not yet"), times_at(kSecond, 0, 0, 1));
  EXPECT_EQ(view.times_source, "schedstat");
  EXPECT_EQ(view.wakeups_per_s.status, ReadingStatus::warming);
}

TEST(WorkerMeter, KnowsNothingOfTimeThatDidNotPass) {
  const WorkerReadings view = view_of(times_at(9, 9, 9, 9), times_at(8, 9, 9, 9));
  EXPECT_EQ(view.times_source, "schedstat");
  EXPECT_EQ(view.wakeups_per_s.status, ReadingStatus::warming);
}

TEST(WorkerMeter, ReadsTotalsEarlyIfTheyAreToBeOfNow) {
  WorkerMeter meter;
  const pid_t self[] = {getpid()};
  const auto wakeups_of = [&](Totals totals, uint64_t wakeups) {
    meter.sample(kSecond + wakeups * kMs, {}, self, times_at(wakeups, 0, 0, wakeups), totals);
    WorkerReadings view;
    meter.describe({}, view);
    return *view.wakeups;
  };
  EXPECT_EQ(wakeups_of(Totals::when_due, 1), 1u);
  EXPECT_EQ(wakeups_of(Totals::when_due, 200), 1u);
  EXPECT_EQ(wakeups_of(Totals::now, 200), 200u);
}

TEST(WorkerMeter, SaysNothingBeforeTheFirstInterval) {
  WorkerMeter meter;
  const WorkerCounts counters = {};
  const pid_t self[] = {getpid()};
  WorkerReadings view;
  meter.describe(counters, view);
  EXPECT_EQ(view.shares.on_cpu.status, ReadingStatus::warming);
  EXPECT_EQ(view.wakeups_per_s.status, ReadingStatus::warming);
  EXPECT_EQ(view.times_source, "");
  meter.sample(kSecond, counters, self, times_at(1, 1, 1, 1));
  meter.describe(counters, view);
  EXPECT_EQ(view.shares.on_cpu.status, ReadingStatus::warming);
  EXPECT_EQ(*view.wakeups, 1u);
}

}  // namespace
}  // namespace pipetop
