// Time on the CPU, runnable and blocked, of processes whose truth is known.
#include <sched.h>

#include <cmath>

#include "engine/observe/sched_reader.h"
#include "engine/observe/tests/sched_fixture.h"
#include "engine/process/placement.h"
#include "engine/tests/run_first.h"

namespace pipetop::observe {
namespace {

void pin_to_first_cpu() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) _exit(1);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &allowed)) ++cpu;
  CPU_ZERO(&allowed);
  CPU_SET(cpu, &allowed);
  if (sched_setaffinity(0, sizeof(allowed), &allowed) != 0) _exit(1);
}

TEST_F(Scheduling, NothingIsKnownOfNobody) {
  const auto reader = make_sched_reader();
  EXPECT_EQ(reader->times(Role::writer).status, ReadingStatus::warming);
  EXPECT_EQ(reader->sleeps(Role::writer).status, ReadingStatus::warming);
  reader->watch(Role::writer, 0);
  reader->poll(monotonic_ns());
  EXPECT_EQ(reader->times(Role::writer).status, ReadingStatus::warming);
}

TEST_F(Scheduling, NothingIsCountedWhileItIsStopped) {
  const TestPipe pipe;
  const BusyChild child([&] { pipe.take(); });
  const auto reader = make_sched_reader();
  reader->watch(Role::writer, child.pid());
  const auto times = [&] {
    reader->poll(monotonic_ns());
    return reader->times(Role::writer).value.value_or(TaskTimes{});
  };
  ASSERT_TRUE(eventually([&] { return sleeps_on(times); }));  // so that nothing is under way
  reader->run(false);
  const uint64_t stopped_ns = times().wall_ns();
  usleep(50'000);
  EXPECT_EQ(times().wall_ns(), stopped_ns);
  reader->run(true);
  EXPECT_TRUE(eventually([&] { return times().wall_ns() > stopped_ns; }));
}

TEST_F(Scheduling, EveryWakeUpOfASleeperIsCounted) {
  constexpr uint64_t kWakeUps = 40;
  const TestPipe pipe;
  const BusyChild child([&] { pipe.take(); });
  watch(Role::reader, child);
  wait_for_sleep(Role::reader);
  observers_->restart(monotonic_ns());
  const auto proc_before = read_process_stats(child.pid());
  const TaskTimes before = times(Role::reader);
  for (uint64_t i = 1; i <= kWakeUps; ++i) {
    pipe.put();
    ASSERT_TRUE(eventually(
        [&] { return times(Role::reader).voluntary_switches >= before.voluntary_switches + i; }));
  }
  wait_for_sleep(Role::reader);
  const auto proc_after = read_process_stats(child.pid());
  const TaskTimes after = times(Role::reader);
  EXPECT_EQ(after.wakeups - before.wakeups, kWakeUps);
  EXPECT_EQ(after.voluntary_switches - before.voluntary_switches, kWakeUps);
  ASSERT_TRUE(proc_before && proc_after);
  EXPECT_EQ(after.voluntary_switches - before.voluntary_switches,
            proc_after->times.voluntary_switches - proc_before->times.voluntary_switches);
  EXPECT_EQ(after.involuntary_switches - before.involuntary_switches,
            proc_after->times.involuntary_switches - proc_before->times.involuntary_switches);
  EXPECT_EQ(blocked(Role::reader).times, kWakeUps);
}

TEST_F(Scheduling, NoTimeIsLostNorCountedTwice) {
  const TestPipe there, back;
  const BusyChild writer([&] { there.put(), back.take(); });
  const BusyChild reader([&] { there.take(), back.put(); });
  watch(Role::writer, writer);
  watch(Role::reader, reader);
  times(Role::writer);
  times(Role::reader);
  for (const Role role : {Role::writer, Role::reader}) {
    const uint64_t earliest_ns = monotonic_ns();
    const TaskTimes before = times(role);
    const uint64_t early_ns = monotonic_ns();
    EXPECT_TRUE(eventually([&] { return times(role).wakeups > before.wakeups + 10; }));
    const uint64_t late_ns = monotonic_ns();
    const TaskTimes after = times(role);
    const uint64_t latest_ns = monotonic_ns();
    EXPECT_GE(after.wall_ns() - before.wall_ns(), late_ns - early_ns);
    EXPECT_LE(after.wall_ns() - before.wall_ns(), latest_ns - earliest_ns);
  }
}

// Of the time between the two, in which whatever else may have run.
double tolerance(const Counted& before, const Counted& after) {
  return 0.05 * double(after.times.wall_ns() - before.times.wall_ns());
}

double more_than_theirs(const Counted& before, const Counted& after, uint64_t TaskTimes::*what) {
  return double(after.times.*what - before.times.*what) -
         double(after.kernel.times.*what - before.kernel.times.*what);
}

// Clocks and switches against the kernel's own, of processes that do one thing.
class MeasuredScheduling : public Scheduling {};

// The kernel does not charge a process for what the host takes from it while it runs.
void expect_that_they_agree(const Counted& before, const Counted& after) {
  const auto more = [&](auto what) { return more_than_theirs(before, after, what); };
  EXPECT_GT(more(&TaskTimes::on_cpu_ns), -tolerance(before, after));
  EXPECT_NEAR(more(&TaskTimes::runnable_ns), 0, tolerance(before, after));
  EXPECT_EQ(more(&TaskTimes::voluntary_switches), 0);
  EXPECT_EQ(more(&TaskTimes::involuntary_switches), 0);
}

TEST_F(MeasuredScheduling, ABusyLoopNeverBlocks) {
  const BusyChild child([] {});
  watch(Role::writer, child);
  ASSERT_TRUE(eventually([&] { return child.is_under_way(); }));
  // What the host takes between the kernel's look at the clock and ours is in neither, or in both.
  const Counted before = stop_and_count(Role::writer, child);
  times_after(Role::writer, 1'000'000'000);
  const Counted after = stop_and_count(Role::writer, child);
  EXPECT_EQ(after.times.voluntary_switches, before.times.voluntary_switches + 1) << "to stop";
  EXPECT_GT(after.times.on_cpu_ns, before.times.on_cpu_ns);
  expect_that_they_agree(before, after);
}

TEST_F(MeasuredScheduling, TwoBusyLoopsOnOneCpuWaitForEachOther) {
  const auto burn = [] {
    static const bool pinned = (pin_to_first_cpu(), true);
    (void)pinned;
  };
  const BusyChild one(burn), other(burn);
  watch(Role::writer, one);
  watch(Role::reader, other);
  ASSERT_TRUE(eventually([&] { return one.is_under_way() && other.is_under_way(); }));
  const Counted first = stop_and_count(Role::writer, one);
  ASSERT_TRUE(eventually([&] { return times(Role::writer).on_cpu_ns > first.times.on_cpu_ns; }));

  // Both have had several turns: of the one's time, all that is looked at of the other's.
  const TaskTimes one_before = times(Role::writer), other_before = times(Role::reader);
  ASSERT_TRUE(eventually([&] {
    return times(Role::writer).involuntary_switches > one_before.involuntary_switches + 10 &&
           times(Role::reader).involuntary_switches > other_before.involuntary_switches + 10;
  }));
  const TaskTimes other_after = times(Role::reader), one_after = times(Role::writer);
  EXPECT_EQ(one_after.blocked_ns, one_before.blocked_ns);
  EXPECT_GT(one_after.on_cpu_ns, one_before.on_cpu_ns);
  EXPECT_GT(other_after.on_cpu_ns, other_before.on_cpu_ns);
  // While the other one runs it waits; a third process may want that CPU, too.
  EXPECT_GE(one_after.runnable_ns - one_before.runnable_ns,
            other_after.on_cpu_ns - other_before.on_cpu_ns);
  const Counted last = stop_and_count(Role::writer, one);
  expect_that_they_agree(first, last);
}

// No event tells that it was woken before it runs.
TEST_F(MeasuredScheduling, AWokenSleeperThatMayNotRunWaits) {
  if (read_topology().size() < 2) GTEST_SKIP() << "one CPU, from which nobody looks meanwhile";
  if (!run_first(1)) GTEST_SKIP() << "nothing may run before all others; run as root";
  run_first(0);
  const TestPipe pipe;
  const BusyChild sleeper([&] {
    static const bool pinned = (pin_to_first_cpu(), true);
    (void)pinned;
    pipe.take();
  });
  watch(Role::reader, sleeper);
  wait_for_sleep(Role::reader);
  const BusyChild hog([] {
    static const bool first = (pin_to_first_cpu(), run_first(1));
    (void)first;
    for (const uint64_t end_ns = monotonic_ns() + 70 * kMs; monotonic_ns() < end_ns;) continue;
    usleep(50'000);  // others want to run, too
  });
  ASSERT_TRUE(eventually([&] { return hog.is_under_way(); }));
  // Whatever it had begun to wait for, it waits longer, or has run meanwhile and begins anew.
  TaskTimes woken = times(Role::reader), later = woken;
  pipe.put();
  ASSERT_TRUE(eventually([&] {
    if (later.wakeups != woken.wakeups || later.voluntary_switches != woken.voluntary_switches) {
      woken = later;
      pipe.put();
    }
    later = times(Role::reader);
    return later.wakeups == woken.wakeups && later.runnable_ns > woken.runnable_ns + 20 * kMs;
  }));
  woken = times(Role::reader);
  later = times_after(Role::reader, 10 * kMs);
  if (later.wakeups == woken.wakeups) {
    EXPECT_EQ(later.blocked_ns, woken.blocked_ns);
    EXPECT_EQ(later.on_cpu_ns, woken.on_cpu_ns);
  }
}

TEST_F(MeasuredScheduling, TimesAgreeWithSchedstat) {
  const BusyChild child([] {
    for (const uint64_t end = monotonic_ns() + 20'000'000; monotonic_ns() < end;) continue;
    usleep(20'000);
  });
  watch(Role::writer, child);
  const Counted before = stop_and_count(Role::writer, child);
  times_after(Role::writer, 2'000'000'000);
  const Counted after = stop_and_count(Role::writer, child);
  expect_that_they_agree(before, after);
}

TEST_F(Scheduling, TimeStopsWhenTheProcessDiesAndGoesOnWithTheNext) {
  const TestPipe pipe;
  auto child = std::make_unique<BusyChild>([&] { pipe.take(); });
  watch(Role::writer, *child);
  wait_for_sleep(Role::writer);
  const TaskTimes first = times(Role::writer);
  times_after(Role::writer, 100'000'000);
  child.reset();
  // Its last switch comes after its parent has been told.
  TaskTimes last;
  EXPECT_TRUE(eventually([&] {
    last = times(Role::writer);
    return times(Role::writer).wall_ns() == last.wall_ns();
  }));
  usleep(50'000);
  EXPECT_EQ(times(Role::writer).wall_ns(), last.wall_ns());
  EXPECT_GE(last.blocked_ns, first.blocked_ns + 100'000'000);
  observers_->watch(Role::writer, 0);
  EXPECT_EQ(times(Role::writer).wall_ns(), last.wall_ns());
  const BusyChild next([&] { pipe.take(); });
  watch(Role::writer, next);
  EXPECT_TRUE(
      eventually([&] { return times(Role::writer).blocked_ns >= last.blocked_ns + 10'000'000; }));
}

}  // namespace
}  // namespace pipetop::observe
