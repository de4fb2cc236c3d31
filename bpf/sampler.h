/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What sampler.bpf.c hands to user space. */
#pragma once

#include <linux/types.h>

enum {
  SAMPLER_ROLES = 2,
  SAMPLER_PROCESSES = 256, /* watched at once */
  SAMPLER_DEPTH = 127,     /* frames, the kernel's own limit */
  SAMPLER_BINS = 34,       /* empty, 32 even parts, full */
  SAMPLER_SHARE_ONE = 1 << 16,
  SAMPLER_PATIENCE_NS = 20000000, /* with a CPU that is to copy the ring */
};

/* One sample of a watched process; only `frames` of `ip` are sent. */
struct sampler_sample {
  __u64 at_ns; /* CLOCK_MONOTONIC */
  __u32 role;
  __u32 cpu;
  __u32 frames; /* 0: it was in user mode */
  __u32 reserved;
  __u64 ip[SAMPLER_DEPTH]; /* leaf first */
};

/* Cumulative; one a CPU and one that all share, see counter.bpf.h; whole cache lines. */
struct sampler_cpu {
  __u64 used_sum;            /* of used / slots, in SAMPLER_SHARE_ONE */
  __u64 bins[SAMPLER_BINS];  /* looks at the ring */
  __u64 lost[SAMPLER_ROLES]; /* samples that found the buffer full */
  __u64 reserved[3];
};
