// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// What an add costs in either layout of counter.bpf.h: user space runs this
// program on as many CPUs as it wants to know about.

#include "counters.h"

#include "counter.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cpu_count = 1;

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);  // user space sets it: a record a CPU, or one
  __type(key, __u32);
  __type(value, struct counters_record);
} records SEC(".maps");

static long add_once(__u32 i, void *context) {
  (void)context;
  // Looked up each time, as a program does that runs once for each event.
  const __u32 key = counter_record(cpu_count);
  struct counters_record *record = bpf_map_lookup_elem(&records, &key);
  if (!record) return 1;
  counter_add(&record->count[i % COUNTERS_IN_RECORD], 1);
  return 0;
}

SEC("syscall")
int add_many(void *context) {
  (void)context;
  return bpf_loop(COUNTERS_ADDS, add_once, NULL, 0);
}
