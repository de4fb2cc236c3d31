// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Measures the cost of an add to the sampler's counters in both layouts of
// counter.bpf.h. User space runs this program on any number of CPUs.

#include "counters.h"

#include "counter.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cpu_count = 1;

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);  // like the sampler's map
  __uint(max_entries, 1);             // set by user space: one record per CPU, or one
  __type(key, __u32);
  __type(value, struct sampler_cpu);
} records SEC(".maps");

static long add_once(__u32 i, void *context) {
  (void)context;
  // Looked up each time, as in a program that runs once per event.
  const __u32 key = counter_record(cpu_count);
  struct sampler_cpu *record = bpf_map_lookup_elem(&records, &key);
  if (!record) return 1;
  counter_add(&record->bins[i % 32], 1);
  return 0;
}

SEC("syscall")
int add_many(void *context) {
  (void)context;
  return bpf_loop(COUNTERS_ADDS, add_once, NULL, 0);
}
