#include "engine/process/threads.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <latch>
#include <thread>

#include "engine/process/tests/foreign_process.h"

namespace pipetop {
namespace {

constexpr pid_t kNoProcess = 0x7ffffff0;  // above the highest pid

TEST(Threads, AProcessIsKnownByItsStart) {
  const auto start = start_ticks_of(getpid());
  ASSERT_TRUE(start);
  EXPECT_GT(*start, 0u);
  EXPECT_TRUE(exists({getpid(), *start}));
  EXPECT_FALSE(exists({getpid(), *start + 1})) << "that would be another one with its number";
  EXPECT_FALSE(start_ticks_of(kNoProcess));
  EXPECT_FALSE(exists({kNoProcess, 0}));
}

TEST(Threads, AllOfAProcessAreListed) {
  pid_t other = 0;
  std::latch started(1), done(1);
  std::jthread thread([&] {
    other = static_cast<pid_t>(::syscall(SYS_gettid));
    started.count_down();
    done.wait();
  });
  started.wait();
  EXPECT_EQ(threads_of(getpid()), (std::vector<pid_t>{getpid(), other}));
  done.count_down();
  EXPECT_TRUE(threads_of(kNoProcess).empty());
}

TEST(Threads, ANiceValueIsOfOneThread) {
  std::jthread([] {
    const auto tid = static_cast<pid_t>(::syscall(SYS_gettid));
    const int before = nice_of(tid).value_or(99);
    ASSERT_LT(before, 19);
    ASSERT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(tid), 19), 0);
    EXPECT_EQ(nice_of(tid), 19);
    EXPECT_EQ(nice_of(getpid()), before);
  }).join();
  EXPECT_FALSE(nice_of(kNoProcess));
}

TEST(Threads, AProcessHasAUser) {
  const ForeignProcess process;
  const std::string user = user_of(process.id());
  const passwd* const entry = ::getpwuid(::geteuid());
  EXPECT_EQ(user, entry ? entry->pw_name : std::to_string(::geteuid()));
  EXPECT_EQ(user_of({process.pid(), process.id().start_ticks + 1}), "") << "another process";
  EXPECT_EQ(user_of({kNoProcess, 1}), "");
}

TEST(Threads, CpusAreOfOneThread) {
  std::jthread([] {
    const auto tid = static_cast<pid_t>(::syscall(SYS_gettid));
    const std::vector<int> before = cpus_of(tid);
    ASSERT_FALSE(before.empty());
    EXPECT_EQ(set_cpus(tid, std::array{before.back()}), 0);
    EXPECT_EQ(cpus_of(tid), std::vector<int>{before.back()});
    EXPECT_EQ(cpus_of(getpid()), before);
    EXPECT_EQ(set_cpus(tid, {}), EINVAL);
  }).join();
  EXPECT_TRUE(cpus_of(kNoProcess).empty());
  EXPECT_EQ(set_cpus(kNoProcess, std::array{0}), ESRCH);
}

TEST(Threads, CpusAreListedAsTheKernelDoes) {
  EXPECT_EQ(cpu_list({}), "");
  EXPECT_EQ(cpu_list(std::array{3}), "3");
  EXPECT_EQ(cpu_list(std::array{0, 1}), "0-1");
  EXPECT_EQ(cpu_list(std::array{0, 1, 2, 6, 8, 9}), "0-2,6,8-9");
}

}  // namespace
}  // namespace pipetop
