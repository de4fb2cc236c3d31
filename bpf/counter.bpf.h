/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How programs count that run on every CPU at once: a record a CPU, which nobody
 * else writes, or one record for all and atomic adds. The first is quicker, most
 * of all when the CPUs are busy; the second takes the memory of one. The same
 * trade as in the kernel's own per-CPU counters, to be tried live.
 */
#pragma once

#include "kernel.h"

/* Read by user space, switched while we run. */
volatile __u32 counters_shared;

/* The record to count in, of an array with one a CPU and the shared one at `cpus`. */
static __always_inline __u32 counter_record(__u32 cpus) {
  return counters_shared ? cpus : bpf_get_smp_processor_id();
}

static __always_inline void counter_add(__u64 *counter, __u64 n) {
  if (counters_shared)
    __sync_fetch_and_add(counter, n);
  else
    *counter += n;
}
