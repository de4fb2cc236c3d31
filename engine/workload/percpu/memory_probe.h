// What a rule takes of the machine's memory, found by putting some thousands in.
#pragma once

#include <functional>
#include <span>

#include "engine/base/reading.h"
#include "engine/workload/percpu/tc_actions.h"

namespace pipetop::percpu {

struct MemoryPerRule {
  double percpu_bytes = 0;  // pages of the per-CPU allocator, of all CPUs together
  double slab_bytes = 0;
};

// The mean of those near to the lower quartile: in others somebody else took memory,
// which is the usual thing, or gave some back. `steps` are not empty.
double typical_step(std::span<const double> steps);

// The second half of at least two steps was as the first.
bool is_steady(std::span<const double> steps);

// Inserts rules, reads /proc/meminfo, and takes them all out again; a part of a
// second. There are no rules when it begins, and nobody else inserts any. Ends early,
// knowing nothing, when go_on() says no. Throws Error.
//
// The kernel keeps per-CPU pages that were freed before (2 MB, say), and rules take
// those first. So rules with per-CPU counters use them up until it has to take new
// ones; what the rules of `shape` take from then on is theirs, nothing at all included.
Reading<MemoryPerRule> measure_memory_per_rule(TcActions& actions, const RuleShape& shape,
                                               const std::function<bool()>& go_on);

}  // namespace pipetop::percpu
