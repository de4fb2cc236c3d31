// What the tests of StageObserver share.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/reading.h"
#include "engine/observe/stage_observer.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop::observe {

inline uint64_t wait_ns(const ThreadTimes& times, WaitsFor wait) {
  return times.wait_ns[static_cast<size_t>(wait)];
}

inline uint64_t pipe_ns(const ThreadTimes& times, PipeId pipe, bool writing) {
  uint64_t ns = 0;
  for (const PipeWait& wait : times.pipes)
    if (wait.pipe == pipe && wait.writing == writing) ns += wait.ns;
  return ns;
}

class Stages : public testing::Test {
 protected:
  // Once for all: to load it is what takes time where CPUs are emulated.
  static void SetUpTestSuite() {
    try {
      observer_ = make_stage_observer();
      made_ = Reading<bool>::of(true);
    } catch (const Error& error) {
      made_ = Reading<bool>::unavailable(error.what());
    }
  }
  static void TearDownTestSuite() { observer_.reset(); }

  void SetUp() override { PIPETOP_NEED(made_); }
  void TearDown() override {
    if (!observer_) return;
    observer_->count_bytes(false);
    observer_->watch({}, {});
  }

  // These processes with all threads that they have now, and these pipes, as if they held them.
  static void watch(std::initializer_list<pid_t> pids,
                    std::initializer_list<const TestPipe*> pipes) {
    std::vector<ScannedTask> tasks;
    for (const pid_t pid : pids)
      for (const pid_t tid : threads_of(pid)) {
        ScannedTask& task = tasks.emplace_back();
        task.process = id_of_process(pid);
        task.tid = tid;
      }
    std::vector<ScannedPipe> scanned;
    for (const TestPipe* pipe : pipes) {
      ScannedPipe& one = scanned.emplace_back();
      one.id = pipe->id;
      for (const pid_t pid : pids) {
        one.ends.push_back({id_of_process(pid), pipe->out.get(), Access::read});
        one.ends.push_back({id_of_process(pid), pipe->in.get(), Access::write});
      }
      one.ends.push_back({id_of_process(getpid()), pipe->out.get(), Access::read});
    }
    observer_->watch(tasks, scanned);
  }

  static std::optional<ThreadTimes> try_times(pid_t tid) {
    for (ThreadTimes& times : observer_->times(monotonic_ns()))
      if (times.tid == tid) return std::move(times);
    return {};
  }

  static ThreadTimes times(pid_t tid) {
    std::optional<ThreadTimes> times;
    EXPECT_TRUE(eventually([&] { return (times = try_times(tid)).has_value(); })) << tid;
    return times.value_or(ThreadTimes{});
  }

  // All time that passes is spent in this wait, for this pipe.
  static testing::AssertionResult comes_to_wait(pid_t tid, WaitsFor wait,
                                                std::optional<PipeId> pipe = {}) {
    ThreadTimes last;
    const bool came = eventually([&] {
      const ThreadTimes before = times(tid);
      ::poll(nullptr, 0, 20);
      last = times(tid);
      const uint64_t ns = last.wall_ns - before.wall_ns;
      const bool same = last.now == wait && last.now_pipe == pipe && last.sleeps == before.sleeps &&
                        ns > 0 && wait_ns(last, wait) - wait_ns(before, wait) == ns;
      if (!same || !pipe) return same;
      const bool writing = wait == WaitsFor::pipe_write;
      return pipe_ns(last, *pipe, writing) - pipe_ns(before, *pipe, writing) == ns;
    });
    if (came) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << "waits for " << int(last.now) << (last.now_pipe ? " (a pipe)" : "") << ", running "
           << last.running << last.runnable << ", not for " << int(wait);
  }

  static RingTally tally_of(PipeId pipe) {
    for (const RingTally& samples : observer_->samples())
      if (samples.pipe == pipe) return samples;
    return {};
  }

  static inline std::unique_ptr<StageObserver> observer_;
  static inline Reading<bool> made_;
};

}  // namespace pipetop::observe
