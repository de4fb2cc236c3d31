// The cost of BPF's counters, with one record per CPU or a shared one, measured
// with bpf/counters.bpf.c.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/reading.h"

namespace pipetop::observe {

// With this many CPUs counting at once.
struct CounterCost {
  int cpus = 0;
  double percpu_ns = 0;  // per add, as its CPU sees it
  double shared_ns = 0;
  uint64_t percpu_bytes = 0;  // of kernel memory, for the sampler's counters
  uint64_t shared_bytes = 0;
};

// For 1, 2 and all CPUs that this process may use; takes about 50 ms. Never throws.
Reading<std::vector<CounterCost>> measure_counter_cost();

}  // namespace pipetop::observe
