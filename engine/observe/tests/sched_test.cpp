// Time on the CPU, runnable and blocked, of processes whose truth is known.
#include <sched.h>

#include "engine/meter/process_stats.h"
#include "engine/observe/sched_reader.h"
#include "engine/observe/tests/sched_fixture.h"

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
  SchedReader reader;
  EXPECT_EQ(reader.times(Role::writer).status, ReadingStatus::warming);
  EXPECT_EQ(reader.sleeps(Role::writer).status, ReadingStatus::warming);
  reader.watch(Role::writer, 0);
  reader.poll(monotonic_ns());
  EXPECT_EQ(reader.times(Role::writer).status, ReadingStatus::warming);
}

TEST_F(Scheduling, NothingIsCountedWhileItIsStopped) {
  const BlockingPipe pipe;
  const BusyChild child([&] { pipe.take(); });
  SchedReader reader;
  reader.watch(Role::writer, child.pid());
  const auto wall_ns = [&] {
    reader.poll(monotonic_ns());
    const Reading<TaskTimes> times = reader.times(Role::writer);
    return times.has_value() ? times->wall_ns() : 0;
  };
  ASSERT_TRUE(eventually([&] { return wall_ns() > 0; }));
  reader.run(false);
  const uint64_t stopped_ns = wall_ns();
  usleep(50'000);
  EXPECT_EQ(wall_ns(), stopped_ns);
  reader.run(true);
  EXPECT_TRUE(eventually([&] { return wall_ns() > stopped_ns; }));
}

TEST_F(Scheduling, EveryWakeUpOfASleeperIsCounted) {
  constexpr uint64_t kWakeUps = 40;
  const BlockingPipe pipe;
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
            proc_after->voluntary_switches - proc_before->voluntary_switches);
  EXPECT_EQ(after.involuntary_switches - before.involuntary_switches,
            proc_after->involuntary_switches - proc_before->involuntary_switches);
  EXPECT_EQ(blocked(Role::reader).times, kWakeUps);
}

TEST_F(Scheduling, NoTimeIsLostNorCountedTwice) {
  const BlockingPipe there, back;
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
    usleep(200'000);
    const uint64_t late_ns = monotonic_ns();
    const TaskTimes after = times(role);
    const uint64_t latest_ns = monotonic_ns();
    EXPECT_GE(after.wall_ns() - before.wall_ns(), late_ns - early_ns);
    EXPECT_LE(after.wall_ns() - before.wall_ns(), latest_ns - earliest_ns);
    EXPECT_GT(after.wakeups, before.wakeups);
  }
}

TEST_F(Scheduling, ABusyLoopNeverBlocks) {
  const BusyChild child([] {});
  watch(Role::writer, child);
  const TaskTimes before = times(Role::writer);
  const auto proc_before = read_process_stats(child.pid());
  const TaskTimes after = times_after(Role::writer, 1'000'000'000);
  const auto proc_after = read_process_stats(child.pid());
  ASSERT_TRUE(proc_before && proc_after);
  const double wall_ns = double(after.wall_ns() - before.wall_ns());
  EXPECT_LT(double(after.blocked_ns - before.blocked_ns), 0.01 * wall_ns);
  // Whatever else runs here; what the host takes counts as on the CPU.
  EXPECT_GT(double(after.on_cpu_ns - before.on_cpu_ns),
            double(proc_after->on_cpu_ns - proc_before->on_cpu_ns) - 0.05 * wall_ns);
  EXPECT_NEAR(double(after.runnable_ns - before.runnable_ns),
              double(proc_after->runnable_ns - proc_before->runnable_ns), 0.05 * wall_ns);
}

TEST_F(Scheduling, TwoBusyLoopsOnOneCpuWaitForEachOther) {
  const auto burn = [] {
    static const bool pinned = (pin_to_first_cpu(), true);
    (void)pinned;
  };
  const BusyChild one(burn), other(burn);
  watch(Role::writer, one);
  watch(Role::reader, other);
  times_after(Role::writer, 100'000'000);  // by then they are pinned
  const auto proc_outer = read_process_stats(one.pid());
  const TaskTimes before = times(Role::writer);
  const auto proc_inner = read_process_stats(one.pid());
  times_after(Role::writer, 2'000'000'000);
  const auto proc_inner_end = read_process_stats(one.pid());
  const TaskTimes after = times(Role::writer);
  const auto proc_outer_end = read_process_stats(one.pid());
  ASSERT_TRUE(proc_outer && proc_inner && proc_inner_end && proc_outer_end);

  // A third process may want that CPU, too.
  const double wall_ns = double(after.wall_ns() - before.wall_ns());
  EXPECT_GT(double(after.runnable_ns - before.runnable_ns), 0.35 * wall_ns);
  EXPECT_LT(double(after.on_cpu_ns - before.on_cpu_ns), 0.65 * wall_ns);
  EXPECT_GT(after.on_cpu_ns, before.on_cpu_ns);
  EXPECT_NEAR(double(after.runnable_ns - before.runnable_ns),
              double(proc_outer_end->runnable_ns - proc_outer->runnable_ns), 0.05 * wall_ns);
  // The kernel counts just before it tells of a switch.
  const uint64_t switches = after.involuntary_switches - before.involuntary_switches;
  EXPECT_GT(switches, 10u);
  EXPECT_GE(switches + 1, proc_inner_end->involuntary_switches - proc_inner->involuntary_switches);
  EXPECT_LE(switches, proc_outer_end->involuntary_switches - proc_outer->involuntary_switches + 1);
}

TEST_F(Scheduling, TimesAgreeWithSchedstat) {
  const BusyChild child([] {
    for (const uint64_t end = monotonic_ns() + 20'000'000; monotonic_ns() < end;) continue;
    usleep(20'000);
  });
  watch(Role::writer, child);
  times(Role::writer);
  const auto proc_before = read_process_stats(child.pid());
  const TaskTimes before = times(Role::writer);
  times_after(Role::writer, 2'000'000'000);
  const auto proc_after = read_process_stats(child.pid());
  const TaskTimes after = times(Role::writer);
  ASSERT_TRUE(proc_before && proc_after);
  const double wall_ns = double(after.wall_ns() - before.wall_ns());
  EXPECT_NEAR(double(after.on_cpu_ns - before.on_cpu_ns),
              double(proc_after->on_cpu_ns - proc_before->on_cpu_ns), 0.05 * wall_ns);
  EXPECT_NEAR(double(after.runnable_ns - before.runnable_ns),
              double(proc_after->runnable_ns - proc_before->runnable_ns), 0.05 * wall_ns);
}

TEST_F(Scheduling, TimeStopsWhenTheProcessDiesAndGoesOnWithTheNext) {
  const BlockingPipe pipe;
  auto child = std::make_unique<BusyChild>([&] { pipe.take(); });
  watch(Role::writer, *child);
  const TaskTimes first = times(Role::writer);
  times_after(Role::writer, 100'000'000);
  child.reset();
  usleep(10'000);  // its last switch comes after its parent has been told
  const TaskTimes last = times(Role::writer);
  usleep(50'000);
  EXPECT_EQ(times(Role::writer).wall_ns(), last.wall_ns());
  EXPECT_GE(last.blocked_ns, first.blocked_ns + 50'000'000);
  observers_->watch(Role::writer, 0);
  EXPECT_EQ(times(Role::writer).wall_ns(), last.wall_ns());
  const BusyChild next([&] { pipe.take(); });
  watch(Role::writer, next);
  EXPECT_GE(times_after(Role::writer, 50'000'000).blocked_ns, last.blocked_ns + 10'000'000);
}

}  // namespace
}  // namespace pipetop::observe
