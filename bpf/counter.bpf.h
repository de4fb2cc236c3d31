/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counters for programs that run on all CPUs at once: one record per CPU, written
 * by that CPU only, or one shared record with atomic adds. The first is faster,
 * especially when several CPUs count at once; the second takes less memory. It is
 * the same trade-off as for the kernel's own per-CPU counters, to be tried live.
 */
#pragma once

#include "kernel.h"

/* Set by user space, also while we run. */
volatile __u32 counters_shared;

/* Index of the record to count in: one per CPU, then the shared one at `cpus`. */
static __always_inline __u32 counter_record(__u32 cpus) {
  return counters_shared ? cpus : bpf_get_smp_processor_id();
}

static __always_inline void counter_add(__u64 *counter, __u64 n) {
  if (counters_shared)
    __sync_fetch_and_add(counter, n);
  else
    *counter += n;
}
