// Processes of a test's own, which end with it.
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <functional>
#include <stdexcept>

#include "engine/base/handles.h"
#include "engine/process/proc_files.h"
#include "engine/process/threads.h"

namespace pipetop {

inline ProcessId id_of_process(pid_t pid) { return {pid, start_ticks_of(pid).value_or(0)}; }

// The exit status, or minus the signal that ended it, from what waitpid() tells.
inline int ending_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// A zombie is gone: whoever inherited it has yet to look.
inline bool is_gone(pid_t pid) {
  const auto stat = read_task_stat(pid);
  return !stat || stat->is_zombie();
}

// Does something, and exits with what that returns.
class Child {
 public:
  explicit Child(const std::function<int()>& body) {
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      std::signal(SIGPIPE, SIG_DFL);
      _exit(body());
    }
    id_ = id_of_process(pid_);
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  ProcessId id() const { return id_; }

  // By now.
  bool ended() {
    if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return ended_;
  }
  // However long it takes; how it ended.
  int wait() {
    if (!ended_) ended_ = waitpid(pid_, &status_, 0) == pid_;
    return ending();
  }
  int ending() const { return ending_of(status_); }  // once it has ended

  void end(int signal = SIGKILL) {
    if (!ended_) kill(pid_, signal);
    wait();
  }

 private:
  pid_t pid_ = -1;
  ProcessId id_;
  bool ended_ = false;
  int status_ = 0;
};

// Does something, and then nothing.
class ForeignProcess : public Child {
 public:
  explicit ForeignProcess(const std::function<void()>& body = [] {})
      : Child([&]() -> int {
          body();
          for (;;) pause();
        }) {}
};

// Does one thing over and over.
class BusyChild {
 public:
  explicit BusyChild(const std::function<void()>& once)
      : child_([&]() -> int {
          for (;; rounds().fetch_add(1)) once();
        }) {}

  pid_t pid() const { return child_.pid(); }

  uint64_t times_done() const { return rounds().load(); }
  // Whether it has done it for the first time, and so is where it is meant to be.
  bool is_under_way() const { return times_done() > 0; }

 private:
  std::atomic_ref<uint64_t> rounds() const {
    return std::atomic_ref(*static_cast<uint64_t*>(shared_.data()));
  }

  Mapping shared_{mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
                  4096};
  Child child_;
};

}  // namespace pipetop
