// What the tests share that need root and a kernel with BTF.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>

#include "engine/base/mapping.h"
#include "engine/base/reading.h"
#include "engine/tests/eventually.h"
#include "engine/tests/run_tests.h"

namespace pipetop::observe {

// Leaves the test unless `reading` is there.
#define PIPETOP_NEED(reading)                                    \
  do {                                                           \
    const auto& needed = (reading);                              \
    if (needed.status == ReadingStatus::unavailable) {           \
      if (::pipetop::bpf_is_required()) FAIL() << needed.reason; \
      GTEST_SKIP() << needed.reason;                             \
    }                                                            \
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
    for (;; rounds().fetch_add(1)) once();
  }
  ~BusyChild() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  BusyChild(const BusyChild&) = delete;
  BusyChild& operator=(const BusyChild&) = delete;

  pid_t pid() const { return pid_; }

  // Whether it has done it for the first time, and so is where it is meant to be.
  bool is_under_way() const { return rounds().load() > 0; }

 private:
  std::atomic_ref<uint64_t> rounds() const {
    return std::atomic_ref(*static_cast<uint64_t*>(shared_.data()));
  }

  Mapping shared_{mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
                  4096};
  pid_t pid_ = -1;
};

}  // namespace pipetop::observe
