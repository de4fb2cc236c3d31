// The effective settings of a page-cache workload, from its plan, its pipes and the slots of the
// ring.
#pragma once

#include <array>
#include <cstdint>

#include "engine/host/zero_copy_probe.h"
#include "engine/workload/page_cache/page_cache_plan.h"

namespace pipetop {

struct PageCacheFacts {
  uint64_t pipe_bytes = 0;   // of the first client's pipe
  uint64_t chunk_bytes = 0;  // that fit into each pipe
  int resize_error = 0;
  bool settled = false;
  std::string preparing;
  ZeroCopyProbe probe;  // of splice from a file
  // From the slots filled since everything is in effect; takes precedence over the probe.
  Reading<std::array<double, kSlotKinds>> kinds;
};

Effective make_page_cache_effective(const Settings& requested, const PageCachePlan& plan,
                                    const PageCacheFacts& facts);

// The current segment's rate divided by (number of clients x the rate of one client), where the
// latter comes from an earlier segment with otherwise equal settings (`in_force`).
Reading<double> efficiency_of(const Throughput& throughput, const Settings& in_force);

}  // namespace pipetop
