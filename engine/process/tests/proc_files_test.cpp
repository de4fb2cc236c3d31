#include "engine/process/proc_files.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "engine/base/handles.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"

namespace pipetop {
namespace {

TEST(ParseTaskStat, TakesTheFieldsBehindTheName) {
  const auto stat = parse_task_stat(
      "4711 (tar) S 4242 4700 4242 34816 4700 4194304 100 0 2 0 30 12 5 6 20 0 1 0 123456 "
      "7000000 300 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->comm(), "tar");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 4242);
  EXPECT_EQ(stat->group, 4700);
  EXPECT_EQ(stat->session, 4242);
  EXPECT_EQ(stat->start_ticks, 123456u);
  EXPECT_EQ(stat->cpu_ticks, 42u);
  EXPECT_FALSE(stat->is_kernel_thread);
}

TEST(ParseTaskStat, ANameMayHoldAnything) {
  const auto stat =
      parse_task_stat("1 (a) R 1 (\n) D 7 8 9 0 0 2129984 0 0 0 0 1 1 0 0 20 0 1 0 55 0 0\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->comm(), "a) R 1 (\n");
  EXPECT_EQ(stat->state, 'D');
  EXPECT_EQ(stat->parent, 7);
  EXPECT_TRUE(stat->is_kernel_thread);
}

TEST(ParseTaskStat, RefusesAnythingElse) {
  for (const char* text : {"", "1 (tar", "1 tar) S 1", "1 (tar) S 1 2", ")(", "1 () S 1 2 3 x"})
    EXPECT_FALSE(parse_task_stat(text)) << text;
}

TEST(ReadTaskStat, IsOfALivingProcess) {
  const auto stat = read_task_stat(getpid());
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, getppid());
  EXPECT_EQ(stat->group, getpgrp());
  EXPECT_TRUE(stat->is_running());
  EXPECT_FALSE(stat->is_zombie());
  constexpr pid_t kNoPid = 0x7ffffff0;  // above the highest pid
  EXPECT_FALSE(read_task_stat(kNoPid));
}

TEST(ProcFiles, ThePidInsideIsTheOneOfTheInnermostNamespace) {
  EXPECT_EQ(parse_pid_inside("Pid:\t4711\nNSpid:\t4711\t12\t1\nNSpgid:\t4711\t7\n"), 1);
  EXPECT_EQ(parse_pid_inside("Pid:\t4711\nNSpid:\t4711\nNSpgid:\t4711\t7\n"), 0);
  EXPECT_EQ(parse_pid_inside("NSpid:\t7\t7\n"), 0) << "the same";
  EXPECT_EQ(parse_pid_inside("Pid:\t4711\n"), 0) << "the kernel has no namespaces";
  EXPECT_EQ(pid_inside(getpid()), 0);
}

TEST(ProcFiles, TheBytesOfAThreadAreItsOwn) {
  const auto before = read_thread_io(getpid(), getpid());
  if (!before) GTEST_SKIP() << "the kernel doesn't count them";
  std::optional<ProcessIo> other;
  std::thread([&] {
    std::array<char, 1000> bytes = {};
    const UniqueFd zero(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::read(zero.get(), bytes.data(), bytes.size()), ssize_t(bytes.size()));
    other = read_thread_io(getpid(), gettid());
  }).join();
  ASSERT_TRUE(other);
  EXPECT_GE(other->read_bytes, 1000u);
  EXPECT_EQ(other->written_bytes, 0u);
  EXPECT_FALSE(read_thread_io(getpid(), 1 << 30));
}

TEST(ProcFiles, FlagsSayHowADescriptorIsOpen) {
  EXPECT_EQ(access_of(O_RDONLY | O_NONBLOCK), Access::read);
  EXPECT_EQ(access_of(O_WRONLY), Access::write);
  EXPECT_EQ(access_of(O_RDWR), Access::both);
}

TEST(ParseSchedstat, HasBothTimes) {
  const auto times = parse_schedstat("123456789012 55 3\n");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->on_cpu_ns, 123456789012u);
  EXPECT_EQ(times->runnable_ns, 55u);
  EXPECT_FALSE(parse_schedstat(""));
}

constexpr const char* kStat =
    "4242 (a) b (c) R 1 2 3 4 -1 4194304 101 0 7 0 11 12 0 0 20 0 1 0 5000 1000 200 "
    "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0";
constexpr const char* kStatus =
    "Name:\ta\nvoluntary_ctxt_switches:\t15\nnonvoluntary_ctxt_switches:\t4\n";

TEST(ProcessStats, ReadsTheKernelsText) {
  const auto stats = parse_process_stats(kStat, "123456 789 10\n", kStatus);
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->page_faults, 101u + 7u);
  EXPECT_EQ(stats->last_cpu, 3);
  EXPECT_EQ(stats->times.on_cpu_ns, 123456u);
  EXPECT_EQ(stats->times.runnable_ns, 789u);
  EXPECT_EQ(stats->times.voluntary_switches, 15u);
  EXPECT_EQ(stats->times.involuntary_switches, 4u);
}

TEST(ProcessStats, UnknownIsNotZero) {
  EXPECT_FALSE(parse_process_stats("", "1 2 3", kStatus));
  EXPECT_FALSE(parse_process_stats(kStat, "", kStatus));
  EXPECT_FALSE(parse_process_stats(kStat, "1 2 3", "Name: a\n"));
  EXPECT_FALSE(read_process_stats(-1));
}

TEST(ProcessStats, ReadsAProcess) {
  // The kernel adds to its time at each tick.
  EXPECT_TRUE(eventually([] { return read_process_stats(::getpid())->times.on_cpu_ns > 0; }));
  const auto stats = read_process_stats(::getpid());
  ASSERT_TRUE(stats);
  EXPECT_GE(stats->last_cpu, 0);
  EXPECT_GT(stats->page_faults, 0u);
}

// In a child of many groups, whose list comes before the switches.
TEST(ProcessStats, ReadsALongStatusToItsEnd) {
  Child child([] {
    std::vector<gid_t> groups(2000);
    std::iota(groups.begin(), groups.end(), gid_t{100'000});
    if (::setgroups(groups.size(), groups.data()) != 0) return 2;
    return read_process_stats(::getpid()).has_value() ? 0 : 1;
  });
  const int ending = child.wait();
  if (ending == 2) GTEST_SKIP() << "setgroups needs root";
  EXPECT_EQ(ending, 0);
}

}  // namespace
}  // namespace pipetop
