// How a process spent its wall time, and its state changes.
#pragma once

#include <cstdint>

#include "engine/base/reading.h"

namespace pipetop {

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

// Shares of wall time; if known, they add up to 1.
struct TimeShares {
  Reading<double> on_cpu, runnable, blocked;
};

}  // namespace pipetop
