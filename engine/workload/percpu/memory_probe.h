// The memory per rule, measured by inserting some thousands.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "engine/base/reading.h"
#include "engine/workload/percpu/tc_actions.h"

namespace pipetop::percpu {

// /proc/meminfo covers the whole machine: other programs change these numbers, too.
struct KernelMemory {
  uint64_t percpu_bytes = 0;  // Percpu: pages of the per-CPU allocator, of all CPUs
  uint64_t slab_bytes = 0;    // SUnreclaim: unreclaimable slabs
};

// From the text of /proc/meminfo; unavailable before Linux 5.0, which has no Percpu line.
Reading<KernelMemory> parse_kernel_memory(std::string_view meminfo);

Reading<KernelMemory> read_kernel_memory();

struct MemoryPerRule {
  double percpu_bytes = 0;  // pages of the per-CPU allocator, of all CPUs together
  double slab_bytes = 0;
};

// The mean of the steps near the lower quartile: in the others somebody else usually took memory,
// or freed some. `steps` is not empty.
double typical_step(std::span<const double> steps);

// With at least two steps: the second half was like the first.
bool is_steady(std::span<const double> steps);

// Inserts rules, reads /proc/meminfo, and removes all rules again, in a fraction of a second. There
// must be no rules, and nobody else may insert any. Ends early, without a result, if go_on()
// returns false. Throws Error.
//
// The kernel caches freed per-CPU pages (e.g. 2 MB), and rules take those first. So rules with
// per-CPU counters use them up until the kernel has to allocate new pages; what the rules of
// `shape` take from then on, possibly nothing, is theirs.
Reading<MemoryPerRule> measure_memory_per_rule(TcActions& actions, const RuleShape& shape,
                                               const std::function<bool()>& go_on);

}  // namespace pipetop::percpu
