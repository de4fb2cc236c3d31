#include "engine/meter/process_stats.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>
#include <vector>

#include "engine/tests/eventually.h"

namespace pipetop {
namespace {

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
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<gid_t> groups(2000);
    std::iota(groups.begin(), groups.end(), gid_t{100'000});
    if (::setgroups(groups.size(), groups.data()) != 0) ::_exit(2);
    ::_exit(read_process_stats(::getpid()).has_value() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "setgroups needs root";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace pipetop
