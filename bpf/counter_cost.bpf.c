// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Measures the cost of an add to the sampler's counters in both layouts of
// counter.bpf.h. User space runs this program on any number of CPUs.

#include "counter.bpf.h"
#include "sampler.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cpu_count = 1;

// Like the sampler's map. User space sizes it: one record per CPU, or one.
MAPPED_ARRAY(records, 1, struct sampler_cpu);

static long add_once(__u32 i, void *context) {
  (void)context;
  // Looked up each time, as in a program that runs once per event.
  const __u32 key = counter_record(cpu_count);
  struct sampler_cpu *record = bpf_map_lookup_elem(&records, &key);
  if (!record) return 1;
  counter_add(&record->occupancy.still.steps[i % 32], 1);
  return 0;
}

SEC("syscall")
int add_many(void *context) {
  (void)context;
  return bpf_loop(SAMPLER_COST_ADDS, add_once, NULL, 0);
}
