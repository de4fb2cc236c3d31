// What the tests of the scheduler's observer share.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "engine/observe/observers.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/process/proc_files.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop::observe {

// The highest share of the tree that passes through a function with `part` in its name.
inline double share_in(const CallTree& tree, std::string_view part) {
  uint64_t most = 0;
  for (const CallNode& node : tree.nodes)
    if (node.function.name().find(part) != std::string::npos) most = std::max(most, node.total);
  return tree.total ? double(most) / double(tree.total) : 0.0;
}

// Its stopping has begun; it tells us before it switches away.
inline void stop(const BusyChild& child) {
  ASSERT_EQ(kill(child.pid(), SIGSTOP), 0);
  ASSERT_EQ(waitpid(child.pid(), nullptr, WUNTRACED), child.pid());
}

// Whether one slept from the first of two readings to the second.
template <class Times>
bool sleeps_on(Times times) {
  const TaskTimes before = times();
  usleep(20'000);
  const TaskTimes after = times();
  return after.blocked_ns > before.blocked_ns && after.on_cpu_ns == before.on_cpu_ns &&
         after.runnable_ns == before.runnable_ns;
}

// What we and the kernel count of a process, at an instant at which the kernel's counts
// are up to date: while it is stopped by a signal.
struct Counted {
  TaskTimes times;
  ProcessStats kernel;
};

class Scheduling : public testing::Test {
 protected:
  // Once for all: to load it is what takes time where CPUs are emulated.
  static void SetUpTestSuite() {
    pipe_ = std::make_unique<TestPipe>(O_NONBLOCK);
    observers_ = std::make_unique<Observers>(ObserverOptions{.pipe_fd = pipe_->out.get()});
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
    return reading.has_value() ? *reading : BlockedTable{};
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
    EXPECT_TRUE(eventually([&] { return sleeps_on([&] { return times(role); }); }));
  }

  Counted stop_and_count(Role role, const BusyChild& child) {
    stop(child);
    wait_for_sleep(role);
    const auto kernel = read_process_stats(child.pid());
    EXPECT_TRUE(kernel);
    const Counted counted = {times(role), kernel.value_or(ProcessStats{})};
    EXPECT_EQ(kill(child.pid(), SIGCONT), 0);
    return counted;
  }

  static inline std::unique_ptr<TestPipe> pipe_;
  static inline std::unique_ptr<Observers> observers_;
};

}  // namespace pipetop::observe
