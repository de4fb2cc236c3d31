// The CPU quotas of our cgroup and of those around it, of cgroup v2 or v1: they stop all processes
// in it for the rest of a period.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/reading.h"
#include "engine/model/snapshot.h"
#include "engine/process/cgroups.h"

namespace pipetop {

// Totals of one of them.
struct QuotaTotals {
  std::string cgroup;  // its folder
  double cpus = 0;     // that it allows
  uint64_t periods = 0, throttled = 0;
};

// `memberships` is the text of /proc/self/cgroup, `root` where cgroups are mounted.
std::vector<QuotaTotals> read_quotas(const std::string& memberships,
                                     const std::string& root = kCgroups);
std::vector<QuotaTotals> read_quotas();

// By the one that stopped us most between two readings.
Reading<Throttling> throttling_between(const std::vector<QuotaTotals>& before,
                                       const std::vector<QuotaTotals>& after);

}  // namespace pipetop
