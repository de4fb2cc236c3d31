// The stacks in which processes sleep whose truth is known.
#include <poll.h>

#include <array>

#include "engine/observe/sched_reader.h"
#include "engine/observe/tests/sched_fixture.h"
#include "engine/process/proc_files.h"
#include "engine/tests/run_first.h"
#include "engine/tests/support/schedstat_window.h"

namespace pipetop::observe {
namespace {

using SchedStacks = Scheduling;
class MeasuredStacks : public Scheduling {};

TEST_F(MeasuredStacks, ASleepInAPipeIsSeenThere) {
  const TestPipe pipe;
  const BusyChild child([&] { pipe.take(); });
  watch(Role::reader, child);
  wait_for_sleep(Role::reader);
  observers_->restart(monotonic_ns());
  const SchedstatWindow book(child.pid());
  for (int i = 0; i < 20; ++i) {
    pipe.put();
    wait_for_sleep(Role::reader);  // for 20 ms at least
  }
  const BlockedTable table = blocked(Role::reader);
  PIPETOP_FORCED(book.sleeps() == 20 && book.asleep() > 0.9);
  EXPECT_GE(table.ns, 400'000'000u);
  EXPECT_EQ(table.lost, 0u);
  EXPECT_EQ(table.tree->total, table.ns);
  // Named anon_pipe_read by some kernels, pipe_read by others.
  EXPECT_GT(share_in(*table.tree, "pipe_read"), 0.95);
  EXPECT_GT(share_in(*table.tree, "do_syscall_64") + share_in(*table.tree, "el0_svc"), 0.95);
  EXPECT_EQ(share_in(*table.tree, "__schedule"), 0.0);
  EXPECT_EQ(share_in(*table.tree, "bpf"), 0.0);
}

// It began before we watched, and has not ended.
TEST_F(MeasuredStacks, ASleepThatIsUnderWayIsSeen) {
  const TestPipe pipe;
  const BusyChild child([&] { pipe.take(); });
  ASSERT_TRUE(
      eventually([&] { return read_process_stats(child.pid())->times.voluntary_switches > 0; }));
  watch(Role::reader, child);
  const SchedstatWindow book(child.pid());
  const TaskTimes before = times(Role::reader);
  const TaskTimes after = times_after(Role::reader, 100'000'000);
  EXPECT_EQ(after.voluntary_switches, before.voluntary_switches);
  EXPECT_EQ(after.wall_ns() - before.wall_ns(), after.blocked_ns - before.blocked_ns);
  const BlockedTable open = blocked(Role::reader);
  PIPETOP_FORCED(book.sleeps() == 0 && book.asleep() > 0.99);
  EXPECT_GT(share_in(*open.tree, "pipe_read"), 0.99);
  EXPECT_EQ(open.lost, 0u);
  pipe.put();
  wait_for_sleep(Role::reader);
  const BlockedTable ended = blocked(Role::reader);
  EXPECT_GE(ended.ns, open.ns);
  EXPECT_GT(share_in(*ended.tree, "pipe_read"), 0.95);
  EXPECT_EQ(ended.lost, 0u);
}

TEST_F(SchedStacks, ARestartForgetsOlderSleeps) {
  const TestPipe pipe;
  const BusyChild child([&] { pipe.take(); });
  watch(Role::writer, child);
  wait_for_sleep(Role::writer);
  times_after(Role::writer, 100'000'000);
  const uint64_t restarted_ns = monotonic_ns();
  observers_->restart(restarted_ns);
  const BlockedTable table = blocked(Role::writer);
  EXPECT_LE(table.ns, monotonic_ns() - restarted_ns);
  EXPECT_EQ(table.tree->total, table.ns);
  EXPECT_EQ(table.times, 0u);
}

TEST_F(MeasuredStacks, RolesAreKeptApart) {
  const TestPipe pipe;
  const BusyChild reader([&] { pipe.take(); });
  const BusyChild writer([] { usleep(5'000); });
  watch(Role::reader, reader);
  watch(Role::writer, writer);
  const SchedstatWindow of_reader(reader.pid()), of_writer(writer.pid());
  ASSERT_TRUE(eventually([&] { return blocked(Role::writer).times >= 10; }));
  wait_for_sleep(Role::reader);
  EXPECT_GT(share_in(*blocked(Role::writer).tree, "nanosleep"), 0.95);
  EXPECT_EQ(share_in(*blocked(Role::writer).tree, "pipe_read"), 0.0);
  EXPECT_GT(share_in(*blocked(Role::reader).tree, "pipe_read"), 0.95);
  EXPECT_EQ(share_in(*blocked(Role::reader).tree, "nanosleep"), 0.0);
  PIPETOP_FORCED(of_reader.asleep() > 0.9 && of_writer.sleeps() >= 10);
}

// One that was to be short, and whose stack was not taken as it began.
TEST_F(MeasuredStacks, ASleepThatTurnsOutLongHasAStack) {
  const Symbols symbols = Symbols::of_this_kernel();
  const auto reader = make_sched_reader({}, 1);
  const BusyChild child([] { usleep(100); });
  reader->watch(Role::reader, child.pid());
  const auto sleeps = [&] {
    Sleeps found;
    EXPECT_TRUE(eventually([&] {
      reader->poll(monotonic_ns());
      const Reading<Sleeps> reading = reader->sleeps(Role::reader);
      if (reading.has_value()) found = *reading;
      return reading.has_value();
    }));
    return found;
  };
  const auto times = [&] { return reader->times(Role::reader).value.value_or(TaskTimes{}); };
  const uint64_t first = sleeps().times, known_ns = monotonic_ns() + 500'000'000;
  // And its pace is known, unless it is kept from sleeping often.
  ASSERT_TRUE(eventually([&] { return sleeps().times > first + 10 && monotonic_ns() > known_ns; }));
  const auto table = [&](const Sleeps& before) {
    const BlockedTable found = blocked_table(
        sleeps(), before, [&](size_t place) { return reader->stack(Role::reader, place); },
        symbols);
    EXPECT_EQ(found.lost, 0u);
    return found;
  };
  // Until it happens to it when no stack is taken, as of a sleep in hundreds one is.
  for (int i = 0; i < 5; ++i) {
    stop(child);
    ASSERT_TRUE(eventually([&] { return sleeps_on(times); }));
    const Sleeps stopped = sleeps();
    usleep(100'000);
    EXPECT_GT(share_in(*table(stopped).tree, "signal"), 0.99);
    ASSERT_EQ(kill(child.pid(), SIGCONT), 0);
    EXPECT_TRUE(eventually([&] { return sleeps().times > stopped.times; }));
    const BlockedTable ended = table(stopped);
    EXPECT_GT(share_in(*ended.tree, "signal") * double(ended.ns), 99e6);
  }
}

// A few of many short sleeps have their stack taken, and all of the long ones. Another reader,
// which takes every stack, tells what is true.
TEST_F(MeasuredStacks, FewShortSleepsStandForTheOthers) {
  const Symbols symbols = Symbols::of_this_kernel();
  const auto some = make_sched_reader({}, 100), every = make_sched_reader({}, 1'000'000'000);
  // A timer ends them, however busy the CPUs are; where we may, the next begins as soon.
  const BusyChild child([] {
    static const bool first = run_first(1);
    (void)first;
    for (int i = 0; i < 50; ++i) usleep(100);
    for (int i = 0; i < 2; ++i) poll(nullptr, 0, 2);
  });
  struct Watching {
    SchedReader& reader;
    Reading<Sleeps> before, after;
  };
  std::array<Watching, 2> both = {Watching{*some, {}, {}}, Watching{*every, {}, {}}};
  for (Watching& one : both) one.reader.watch(Role::writer, child.pid());
  // Until at least so many stacks of the few can have been taken, for that is their pace.
  const auto sleep_for = [&](uint64_t times) {
    uint64_t first = 0;
    const uint64_t end_ns = monotonic_ns() + times * 10'000'000;
    EXPECT_TRUE(eventually([&] {
      for (Watching& one : both) {
        one.reader.poll(monotonic_ns());
        one.after = one.reader.sleeps(Role::writer);
      }
      if (!both[1].after.has_value()) return false;
      if (first == 0) first = both[1].after->times;
      return both[1].after->times >= first + times && monotonic_ns() >= end_ns;
    }));
  };
  sleep_for(50);  // and the pace is known
  const SchedstatWindow book(child.pid());
  for (Watching& one : both) one.before = one.after;
  sleep_for(200);
  PIPETOP_FORCED(book.sleeps() >= 200 && book.asleep() > 0.5);
  std::array<BlockedTable, 2> tables;
  for (size_t i = 0; i < both.size(); ++i) {
    ASSERT_TRUE(both[i].before.has_value() && both[i].after.has_value());
    tables[i] = blocked_table(
        *both[i].after, *both[i].before,
        [&](size_t place) { return both[i].reader.stack(Role::writer, place); }, symbols);
    EXPECT_EQ(tables[i].tree->total, tables[i].ns);
    // Once in a while the kernel gives none: 1 of some hundreds in an emulated one.
    EXPECT_LE(tables[i].lost, tables[i].times / 100);
  }
  for (const char* function : {"nanosleep", "sys_poll"}) {
    const double truth = share_in(*tables[1].tree, function);
    EXPECT_GT(truth, 0.1) << function;
    EXPECT_NEAR(share_in(*tables[0].tree, function), truth, 0.1) << function;
  }
}

}  // namespace
}  // namespace pipetop::observe
