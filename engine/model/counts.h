// What was done, and how long it took: by a worker, by its process, by a workload. All are
// cumulative: the difference of two is what happened in between.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>

#include "engine/base/reading.h"
#include "engine/model/pipe_scan.h"

namespace pipetop {

// Cumulative in the control block, where the worker writes them and the engine reads them (add(),
// read_counts()); elsewhere plain values, for one worker or summed up.
struct WorkerCounts {
  uint64_t items = 0;        // bytes moved, or whatever else the workload counts
  uint64_t syscalls = 0;     // transfers requested from the kernel, whatever it returned
  uint64_t short_calls = 0;  // that moved less than requested
  uint64_t eagain = 0;
  uint64_t interrupted = 0;   // EINTR
  uint64_t polls = 0;         // poll() calls
  uint64_t active_ns = 0;     // spent on what is counted, if that is not the whole time
  uint64_t present = 0;       // of the items, how many are still there
  uint64_t helper_calls = 0;  // that prepare a transfer: they fill and empty tee's source

  // As strace counts them.
  uint64_t all_calls() const { return syscalls + polls + helper_calls; }

  WorkerCounts& operator+=(const WorkerCounts& other);
  WorkerCounts operator-(const WorkerCounts& other) const;
};

inline constexpr std::array kWorkerCounts = {
    &WorkerCounts::items,     &WorkerCounts::syscalls,    &WorkerCounts::short_calls,
    &WorkerCounts::eagain,    &WorkerCounts::interrupted, &WorkerCounts::polls,
    &WorkerCounts::active_ns, &WorkerCounts::present,     &WorkerCounts::helper_calls};
static_assert(sizeof(WorkerCounts) == kWorkerCounts.size() * sizeof(uint64_t));

inline WorkerCounts& WorkerCounts::operator+=(const WorkerCounts& other) {
  for (const auto count : kWorkerCounts) this->*count += other.*count;
  return *this;
}
inline WorkerCounts WorkerCounts::operator-(const WorkerCounts& other) const {
  WorkerCounts difference = *this;
  for (const auto count : kWorkerCounts) difference.*count -= other.*count;
  return difference;
}

// For those who watch, in slow motion.
struct WorkerMarks {
  uint64_t steps = 0;  // operations made in single steps
  // Stream positions, in bytes: the writer has lent the pages in between, and has rewritten them
  // since. Those that are still in the ring no longer hold what was sent.
  uint64_t rewritten_from = 0, rewritten_to = 0;
};

// What the reader found in stamped pages.
struct WorkerIntegrity {
  uint64_t verified = 0;   // pages with the expected stamp
  uint64_t misplaced = 0;  // pages with an unexpected stamp: lost, repeated or reordered
  uint64_t torn = 0;       // pages whose first and last words disagree
  uint64_t unstamped = 0;  // pages without a stamp among stamped ones
  uint64_t epochs = 0;     // how often the count was restarted

  WorkerIntegrity& operator+=(const WorkerIntegrity& other) {
    verified += other.verified;
    misplaced += other.misplaced;
    torn += other.torn;
    unstamped += other.unstamped;
    epochs += other.epochs;
    return *this;
  }
};

// Items counted, and the time that this took, which is wall time for a stream.
// Neither decreases.
struct Progress {
  uint64_t items = 0;
  uint64_t clock_ns = 0;
};

constexpr Progress operator+(const Progress& a, const Progress& b) {
  return {a.items + b.items, a.clock_ns + b.clock_ns};
}
constexpr Progress operator-(const Progress& a, const Progress& b) {
  return {a.items - b.items, a.clock_ns - b.clock_ns};
}

// The progress of one part.
struct PartProgress {
  std::string name;  // "client 2"
  pid_t pid = 0;     // 0: it has no process at the moment
  Progress progress;
};

// Cumulative totals; the difference of two is what happened in between.
struct TaskTimes {
  uint64_t on_cpu_ns = 0;
  uint64_t runnable_ns = 0;  // waiting for a CPU
  uint64_t blocked_ns = 0;
  uint64_t voluntary_switches = 0;    // left the CPU to sleep
  uint64_t involuntary_switches = 0;  // left the CPU, still runnable
  uint64_t wakeups = 0;               // that ended a sleep

  uint64_t wall_ns() const { return on_cpu_ns + runnable_ns + blocked_ns; }
};

// What the time blocked is made of, as shares of the wall time.
struct Waits {
  double reading = 0, writing = 0;         // of pipes
  std::array<double, kWaits> elsewhere{};  // by WaitsFor; those of pipes are 0
};

// Shares of wall time; if known, they add up to 1.
struct TimeShares {
  Reading<double> on_cpu, runnable, blocked;
  Reading<Waits> waits = {};  // of watched stages only
};

}  // namespace pipetop
