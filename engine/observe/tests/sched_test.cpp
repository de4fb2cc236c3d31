// Time on the CPU, runnable and blocked, of processes whose truth is known.
#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "engine/meter/process_stats.h"
#include "engine/observe/blocked_table.h"
#include "engine/observe/observers.h"
#include "engine/observe/sched_reader.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/observe/tests/scratch_pipe.h"

namespace pipetop {
namespace {

using observe::BusyChild;
using observe::eventually;
using observe::ScratchPipe;

// The highest share of the tree that passes through a function with `part` in its name.
double share_in(const CallTree& tree, std::string_view part) {
  uint64_t most = 0;
  for (const CallNode& node : tree.nodes)
    if (tree.functions[node.function].find(part) != std::string::npos)
      most = std::max(most, node.total);
  return tree.total ? double(most) / double(tree.total) : 0.0;
}

void pin_to_first_cpu() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) _exit(1);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &allowed)) ++cpu;
  CPU_ZERO(&allowed);
  CPU_SET(cpu, &allowed);
  if (sched_setaffinity(0, sizeof(allowed), &allowed) != 0) _exit(1);
}

// A pipe that blocks.
struct BlockingPipe {
  BlockingPipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  }
  ~BlockingPipe() {
    close(ends[0]);
    close(ends[1]);
  }
  void take() const {
    char c;
    if (read(ends[0], &c, 1) != 1) _exit(1);
  }
  void put() const {
    if (write(ends[1], "x", 1) != 1) _exit(1);
  }
  int ends[2];
};

class Scheduling : public testing::Test {
 protected:
  // Once for all: to load it is what takes time where CPUs are emulated.
  static void SetUpTestSuite() {
    pipe_ = std::make_unique<ScratchPipe>();
    observers_ = std::make_unique<Observers>(ObserverOptions{.pipe_fd = pipe_->read_end()});
  }
  static void TearDownTestSuite() {
    observers_.reset();
    pipe_.reset();
  }

  void SetUp() override { PIPETOP_NEED(observers_->times(Role::writer)); }
  void TearDown() override {
    for (const Role role : {Role::writer, Role::reader}) observers_->watch(role, 0);
  }

  // As if it were new.
  static void watch(Role role, const BusyChild& child) {
    observers_->watch(role, child.pid());
    observers_->restart(monotonic_ns());
  }

  TaskTimes times(Role role) {
    Reading<TaskTimes> reading;
    EXPECT_TRUE(eventually([&] {
      observers_->poll(monotonic_ns());
      reading = observers_->times(role);
      return reading.has_value();
    })) << reading.reason;
    return reading.value.value_or(TaskTimes{});
  }

  BlockedTable blocked(Role role) {
    Reading<BlockedTable> reading;
    EXPECT_TRUE(eventually([&] {
      observers_->poll(monotonic_ns());
      reading = observers_->blocked(role);
      return reading.has_value();
    })) << reading.reason;
    return reading.has_value() ? *reading : BlockedTable{0, 0, 0, std::make_shared<CallTree>()};
  }

  // After so much more of the role's time.
  TaskTimes times_after(Role role, uint64_t ns) {
    const TaskTimes before = times(role);
    TaskTimes after;
    EXPECT_TRUE(eventually([&] {
      after = times(role);
      return after.wall_ns() >= before.wall_ns() + ns;
    }));
    return after;
  }

  // Sleeping for good, with nothing more to count.
  void wait_for_sleep(Role role) {
    EXPECT_TRUE(eventually([&] {
      const TaskTimes before = times(role);
      usleep(20'000);
      const TaskTimes after = times(role);
      return after.blocked_ns > before.blocked_ns && after.on_cpu_ns == before.on_cpu_ns &&
             after.runnable_ns == before.runnable_ns;
    }));
  }

  static inline std::unique_ptr<ScratchPipe> pipe_;
  static inline std::unique_ptr<Observers> observers_;
};

TEST_F(Scheduling, NothingIsKnownOfNobody) {
  observe::SchedReader reader;
  EXPECT_EQ(reader.times(Role::writer).status, ReadingStatus::warming);
  EXPECT_EQ(reader.sleeps(Role::writer).status, ReadingStatus::warming);
  reader.watch(Role::writer, 0);
  reader.poll(monotonic_ns());
  EXPECT_EQ(reader.times(Role::writer).status, ReadingStatus::warming);
}

TEST_F(Scheduling, NothingIsCountedWhileItIsStopped) {
  const BlockingPipe pipe;
  const BusyChild child([&] { pipe.take(); });
  observe::SchedReader reader;
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

TEST_F(Scheduling, ASleepInAPipeIsSeenThere) {
  const BlockingPipe pipe;
  const BusyChild child([&] { pipe.take(); });
  watch(Role::reader, child);
  wait_for_sleep(Role::reader);
  observers_->restart(monotonic_ns());
  for (int i = 0; i < 20; ++i) {
    usleep(20'000);
    pipe.put();
  }
  wait_for_sleep(Role::reader);
  const BlockedTable table = blocked(Role::reader);
  EXPECT_GE(table.ns, 300'000'000u);
  EXPECT_EQ(table.lost, 0u);
  EXPECT_EQ(table.tree->total, table.ns);
  // Named anon_pipe_read by some kernels, pipe_read by others.
  EXPECT_GT(share_in(*table.tree, "pipe_read"), 0.95);
  EXPECT_GT(share_in(*table.tree, "do_syscall_64") + share_in(*table.tree, "el0_svc"), 0.95);
  EXPECT_EQ(share_in(*table.tree, "__schedule"), 0.0);
  EXPECT_EQ(share_in(*table.tree, "bpf"), 0.0);
}

// It began before we looked, and has not ended.
TEST_F(Scheduling, ASleepThatIsUnderWayIsSeen) {
  const BlockingPipe pipe;
  const BusyChild child([&] { pipe.take(); });
  ASSERT_TRUE(eventually([&] { return read_process_stats(child.pid())->voluntary_switches > 0; }));
  usleep(50'000);
  watch(Role::reader, child);
  const TaskTimes before = times(Role::reader);
  const TaskTimes after = times_after(Role::reader, 100'000'000);
  EXPECT_EQ(after.voluntary_switches, before.voluntary_switches);
  EXPECT_EQ(after.wall_ns() - before.wall_ns(), after.blocked_ns - before.blocked_ns);
  const BlockedTable open = blocked(Role::reader);
  EXPECT_GT(share_in(*open.tree, "pipe_read"), 0.99);
  EXPECT_EQ(open.lost, 0u);
  pipe.put();
  wait_for_sleep(Role::reader);
  const BlockedTable ended = blocked(Role::reader);
  EXPECT_GE(ended.ns, open.ns);
  EXPECT_GT(share_in(*ended.tree, "pipe_read"), 0.95);
  EXPECT_EQ(ended.lost, 0u);
}

TEST_F(Scheduling, ARestartForgetsOlderSleeps) {
  const BlockingPipe pipe;
  const BusyChild child([&] { pipe.take(); });
  watch(Role::writer, child);
  times_after(Role::writer, 300'000'000);
  const uint64_t restarted_ns = monotonic_ns();
  observers_->restart(restarted_ns);
  const BlockedTable table = blocked(Role::writer);
  EXPECT_LE(table.ns, monotonic_ns() - restarted_ns);
  EXPECT_EQ(table.tree->total, table.ns);
  EXPECT_EQ(table.times, 0u);
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

TEST_F(Scheduling, RolesAreKeptApart) {
  const BlockingPipe pipe;
  const BusyChild reader([&] { pipe.take(); });
  const BusyChild writer([] { usleep(5'000); });
  watch(Role::reader, reader);
  watch(Role::writer, writer);
  times_after(Role::writer, 300'000'000);
  wait_for_sleep(Role::reader);
  EXPECT_GT(share_in(*blocked(Role::writer).tree, "nanosleep"), 0.95);
  EXPECT_EQ(share_in(*blocked(Role::writer).tree, "pipe_read"), 0.0);
  EXPECT_GT(share_in(*blocked(Role::reader).tree, "pipe_read"), 0.95);
  EXPECT_EQ(share_in(*blocked(Role::reader).tree, "nanosleep"), 0.0);
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

// One that was to be short, and whose stack was not taken as it began.
TEST_F(Scheduling, ASleepThatTurnsOutLongHasAStack) {
  const observe::Symbols symbols = observe::Symbols::of_this_kernel();
  observe::SchedReader reader(1);
  const BusyChild child([] { usleep(100); });
  reader.watch(Role::reader, child.pid());
  const auto sleeps = [&] {
    observe::Sleeps found;
    EXPECT_TRUE(eventually([&] {
      reader.poll(monotonic_ns());
      const Reading<observe::Sleeps> reading = reader.sleeps(Role::reader);
      if (reading.has_value()) found = *reading;
      return reading.has_value();
    }));
    return found;
  };
  const uint64_t first = sleeps().times;
  ASSERT_TRUE(eventually([&] { return sleeps().times > first + 2'000; }));
  const auto table = [&](const observe::Sleeps& before) {
    const BlockedTable found = observe::blocked_table(
        sleeps(), before, [&](size_t place) { return reader.stack(Role::reader, place); }, symbols);
    EXPECT_EQ(found.lost, 0u);
    return found;
  };
  // Until it happens to it when no stack is taken, as of a sleep in hundreds one is.
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(kill(child.pid(), SIGSTOP), 0);
    ASSERT_EQ(waitpid(child.pid(), nullptr, WUNTRACED), child.pid());
    usleep(50'000);  // it tells before it switches away
    const observe::Sleeps stopped = sleeps();
    usleep(100'000);
    EXPECT_GT(share_in(*table(stopped).tree, "signal"), 0.99);
    ASSERT_EQ(kill(child.pid(), SIGCONT), 0);
    EXPECT_TRUE(eventually([&] { return sleeps().times > stopped.times; }));
    const BlockedTable ended = table(stopped);
    EXPECT_GT(share_in(*ended.tree, "signal") * double(ended.ns), 99e6);
  }
}

// Of many short sleeps a few have their stack taken, of long ones all. Another reader,
// which takes every stack, tells what is true.
TEST_F(Scheduling, FewShortSleepsStandForTheOthers) {
  const observe::Symbols symbols = observe::Symbols::of_this_kernel();
  observe::SchedReader some(100), every(1'000'000'000);
  // A timer ends them, however busy the CPUs are.
  const BusyChild child([] {
    for (int i = 0; i < 50; ++i) usleep(100);
    for (int i = 0; i < 2; ++i) poll(nullptr, 0, 2);
  });
  struct Watching {
    observe::SchedReader& reader;
    Reading<observe::Sleeps> before, after;
  };
  std::array<Watching, 2> both = {Watching{some, {}, {}}, Watching{every, {}, {}}};
  for (Watching& one : both) one.reader.watch(Role::writer, child.pid());
  const auto sleep_for = [&](uint64_t times) {
    uint64_t first = 0;
    EXPECT_TRUE(eventually([&] {
      for (Watching& one : both) {
        one.reader.poll(monotonic_ns());
        one.after = one.reader.sleeps(Role::writer);
      }
      if (!both[1].after.has_value()) return false;
      if (first == 0) first = both[1].after->times;
      return both[1].after->times >= first + times;
    }));
  };
  sleep_for(1'000);  // and the pace is known
  for (Watching& one : both) one.before = one.after;
  sleep_for(8'000);
  std::array<BlockedTable, 2> tables;
  for (size_t i = 0; i < both.size(); ++i) {
    ASSERT_TRUE(both[i].before.has_value() && both[i].after.has_value());
    tables[i] = observe::blocked_table(
        *both[i].after, *both[i].before,
        [&](size_t place) { return both[i].reader.stack(Role::writer, place); }, symbols);
    EXPECT_EQ(tables[i].tree->total, tables[i].ns);
    EXPECT_EQ(tables[i].lost, 0u);
  }
  for (const char* function : {"nanosleep", "sys_poll"}) {
    const double truth = share_in(*tables[1].tree, function);
    EXPECT_GT(truth, 0.1) << function;
    EXPECT_NEAR(share_in(*tables[0].tree, function), truth, 0.1) << function;
  }
}

}  // namespace
}  // namespace pipetop
