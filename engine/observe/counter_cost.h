// What BPF's counters cost, a record a CPU or one that is shared: measured with
// bpf/counters.bpf.c.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/reading.h"

namespace pipetop::observe {

// With so many CPUs counting at once.
struct CounterCost {
  int cpus = 0;
  double percpu_ns = 0;  // an add, as its CPU sees it
  double shared_ns = 0;
  uint64_t percpu_bytes = 0;  // of kernel memory, for the sampler's counters
  uint64_t shared_bytes = 0;
};

// For 1, 2 and all CPUs that this process may run on; takes some 50 ms. Never
// throws.
Reading<std::vector<CounterCost>> measure_counter_cost();

}  // namespace pipetop::observe
