// What the tests share that need root and a kernel with BTF.
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>

#include "engine/clock.h"

namespace pipetop::observe {

// Where CI says that BPF has to work, its absence is a failure and no skip.
inline bool bpf_is_required() {
  const char* required = std::getenv("PIPETOP_REQUIRE_BPF");
  return required && std::string(required) == "1";
}

// Leaves the test unless `reading` is there.
#define PIPETOP_NEED(reading)                                             \
  do {                                                                    \
    const auto& needed = (reading);                                       \
    if (needed.status == ReadingStatus::unavailable) {                    \
      if (::pipetop::observe::bpf_is_required()) FAIL() << needed.reason; \
      GTEST_SKIP() << needed.reason;                                      \
    }                                                                     \
  } while (false)

// A process that does one thing over and over until its owner goes.
class BusyChild {
 public:
  explicit BusyChild(const std::function<void()>& once) {
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (;;) once();
  }
  ~BusyChild() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  BusyChild(const BusyChild&) = delete;
  BusyChild& operator=(const BusyChild&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

// Tries until it is so; a minute is no measurement but a broken test.
inline bool eventually(const std::function<bool()>& is_so) {
  for (const uint64_t end = monotonic_ns() + 60'000'000'000; monotonic_ns() < end; usleep(10'000))
    if (is_so()) return true;
  return false;
}

}  // namespace pipetop::observe
