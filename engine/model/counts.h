// What a worker has done.
#pragma once

#include <array>
#include <cstdint>

namespace pipetop {

// Cumulative in the control block, where the worker writes them and the engine reads them (add(),
// read_counts()); elsewhere plain values, for one worker or summed up.
struct WorkerCounts {
  uint64_t items = 0;        // bytes moved, or whatever else the workload counts
  uint64_t syscalls = 0;     // requested from the kernel, whatever it returned
  uint64_t short_calls = 0;  // that moved less than requested
  uint64_t eagain = 0;
  uint64_t interrupted = 0;  // EINTR
  uint64_t polls = 0;        // poll() calls
  uint64_t active_ns = 0;    // spent on what is counted, if that is not the whole time
  uint64_t present = 0;      // of the items, how many are still there

  WorkerCounts& operator+=(const WorkerCounts& other);
  WorkerCounts operator-(const WorkerCounts& other) const;
};

inline constexpr std::array kWorkerCounts = {&WorkerCounts::items,       &WorkerCounts::syscalls,
                                             &WorkerCounts::short_calls, &WorkerCounts::eagain,
                                             &WorkerCounts::interrupted, &WorkerCounts::polls,
                                             &WorkerCounts::active_ns,   &WorkerCounts::present};
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

}  // namespace pipetop
