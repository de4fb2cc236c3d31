#include "engine/meter/worker_meters.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/meter/rate_meter.h"

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

TEST(IntegrityMeter, DamageIsARateOverTheLastSecond) {
  Integrity found;
  IntegrityMeter meter;
  for (uint64_t ms = 0; ms <= 3000; ms += 50) {
    found.verified += 100;
    if (ms > 1000) found.torn += 2;
    if (ms > 2500) found.misplaced += 1;
    meter.sample(ms * kMs, found);
  }
  const Integrity i = meter.describe(found);
  EXPECT_EQ(i.torn, 80u);
  EXPECT_EQ(i.misplaced, 10u);
  EXPECT_DOUBLE_EQ(*i.torn_per_s, 40.0);
  EXPECT_DOUBLE_EQ(*i.misplaced_per_s, 10.0);
  EXPECT_DOUBLE_EQ(*i.wrong_share, 50.0 / 2050.0);
  EXPECT_TRUE(i.damages());
}

TEST(IntegrityMeter, ZeroIsSaidOnlyOfPagesThatWereLookedAt) {
  Integrity found;
  IntegrityMeter meter;
  EXPECT_EQ(meter.describe(found).torn_per_s.status, ReadingStatus::warming);
  for (uint64_t ms = 0; ms <= 2000; ms += 100) meter.sample(ms * kMs, found);
  EXPECT_EQ(meter.describe(found).torn_per_s.status, ReadingStatus::warming);
  found.verified = 1;
  meter.sample(2100 * kMs, found);
  EXPECT_DOUBLE_EQ(*meter.describe(found).torn_per_s, 0.0);
  EXPECT_DOUBLE_EQ(*meter.describe(found).misplaced_per_s, 0.0);
  EXPECT_DOUBLE_EQ(*meter.describe(found).wrong_share, 0.0);
  EXPECT_FALSE(meter.describe(found).damages());
}

// A page each 300 ms, every eighth of them torn.
TEST(IntegrityMeter, FewPagesAreJudgedOverMoreThanASecond) {
  Integrity found;
  IntegrityMeter meter;
  for (uint64_t ms = 300; ms <= 30'000; ms += 300) {
    ++((ms / 300) % 8 == 0 ? found.torn : found.verified);
    meter.sample(ms * kMs, found);
    if (ms < 5000) continue;
    EXPECT_NEAR(*meter.describe(found).wrong_share, 0.125, 0.06) << ms;
  }
  meter.sample(36'000 * kMs, found);
  EXPECT_TRUE(meter.describe(found).damages());
  for (uint64_t ms = 40'300; ms <= 41'000; ms += 100) meter.sample(ms * kMs, found);
  EXPECT_FALSE(meter.describe(found).wrong_share.has_value());  // none for 10 s
}

TEST(IntegrityMeter, AChangeBeginsAnew) {
  Integrity found;
  IntegrityMeter meter;
  meter.sample(0, found);
  found.torn = 5;
  meter.sample(1000 * kMs, found);
  EXPECT_DOUBLE_EQ(*meter.describe(found).torn_per_s, 5.0);
  meter.restart();
  EXPECT_FALSE(meter.describe(found).torn_per_s.has_value());
  EXPECT_EQ(meter.describe(found).torn, 5u);
}

}  // namespace

}  // namespace pipetop
