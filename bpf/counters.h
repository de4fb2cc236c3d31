/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What counters.bpf.c counts in. */
#pragma once

#include <linux/types.h>

enum {
  COUNTERS_IN_RECORD = 8, /* one cache line */
  COUNTERS_ADDS = 1 << 16,
};

struct counters_record {
  __u64 count[COUNTERS_IN_RECORD];
} __attribute__((aligned(64)));
