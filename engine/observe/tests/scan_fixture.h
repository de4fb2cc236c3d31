// What the tests of both scanners share: processes with pipes, and how to find them in a scan.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/unique_fd.h"
#include "engine/observe/pipe_scanner.h"
#include "engine/process/threads.h"
#include "engine/tests/eventually.h"

namespace pipetop::observe {

inline ProcessId process_id(pid_t pid) { return {pid, start_ticks_of(pid).value_or(0)}; }

inline PipeId id_of(const struct stat& status) {
  return {static_cast<uint32_t>(status.st_dev), status.st_ino};
}
inline PipeId id_of(int fd) {
  struct stat status = {};
  if (fstat(fd, &status) != 0) throw std::runtime_error("fstat");
  return id_of(status);
}

inline const ScannedPipe* pipe_in(const PipeScan& scan, PipeId id) {
  const auto found = std::ranges::find(scan.pipes, id, &ScannedPipe::id);
  return found != scan.pipes.end() ? &*found : nullptr;
}

inline const ScannedTask* task_in(const PipeScan& scan, pid_t tid) {
  const auto found = std::ranges::find(scan.tasks, tid, &ScannedTask::tid);
  return found != scan.tasks.end() ? &*found : nullptr;
}

// A pipe that blocks.
struct HeldPipe {
  HeldPipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    out = UniqueFd(ends[0]);
    in = UniqueFd(ends[1]);
    id = id_of(ends[0]);
  }
  void put(size_t bytes) const {
    const std::string text(bytes, 'x');
    if (write(in.get(), text.data(), bytes) != ssize_t(bytes)) throw std::runtime_error("write");
  }
  void close() {
    out.reset();
    in.reset();
  }

  UniqueFd out, in;  // to read from, to write to
  PipeId id;
};

// A process that does something and exits with what it returns.
class Child {
 public:
  explicit Child(const std::function<int()>& body) {
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    std::signal(SIGPIPE, SIG_DFL);
    _exit(body());
  }
  ~Child() {
    if (ended_) return;
    kill(pid_, SIGKILL);
    kill(pid_, SIGCONT);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  bool ended() {
    if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return ended_;
  }
  int status() const { return status_; }  // as of waitpid, once it has ended

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

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
  HeldPipe pipe_;
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
