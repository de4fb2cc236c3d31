// What the tests of both scanners share: processes with pipes, and how to find them in a scan.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/observe/pipe_scanner.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop::observe {

inline const ScannedPipe* pipe_in(const PipeScan& scan, PipeId id) {
  const auto found = std::ranges::find(scan.pipes, id, &ScannedPipe::id);
  return found != scan.pipes.end() ? &*found : nullptr;
}

inline const ScannedTask* task_in(const PipeScan& scan, pid_t tid) {
  const auto found = std::ranges::find(scan.tasks, tid, &ScannedTask::tid);
  return found != scan.tasks.end() ? &*found : nullptr;
}

// Makes children wait until they are let go, without a timer.
class Gate {
 public:
  void pass() {  // in a child
    pipe_.in.reset();
    char c;
    (void)!read(pipe_.out.get(), &c, 1);
    pipe_.out.reset();
  }
  void open() { pipe_.in.reset(); }

 private:
  TestPipe pipe_;
};

// What a thread waits for, once it does.
inline testing::AssertionResult comes_to_wait(PipeScanner& scanner, pid_t tid, WaitsFor wait,
                                              int fd) {
  ScannedTask last;
  const bool came = eventually([&] {
    const PipeScan scan = scanner.scan();
    if (const ScannedTask* task = task_in(scan, tid)) last = *task;
    return last.wait == wait && last.fd == fd;
  });
  if (came) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "thread " << tid << " waits for " << int(last.wait)
                                     << " at " << last.fd << ", not " << int(wait) << " at " << fd;
}

}  // namespace pipetop::observe
