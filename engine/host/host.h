// Facts about the machine that do not change while pipetop runs.
#pragma once

#include "engine/model/snapshot.h"

namespace pipetop {

HostInfo read_host();

// Cumulative jiffies of /proc/stat's "cpu" line.
struct CpuTimes {
  uint64_t total = 0;
  uint64_t steal = 0;
};
CpuTimes read_cpu_times();

// Share of all CPUs' time: with more steal a rate is unreliable.
inline constexpr double kMuchSteal = 0.05;

// The share of stolen time between two readings; 0 if no time passed.
double steal_share(const CpuTimes& before, const CpuTimes& after);
// From `before` until now.
Reading<double> steal_since(const CpuTimes& before);

}  // namespace pipetop
