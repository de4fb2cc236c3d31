/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What sampler.bpf.c passes to user space. */
#pragma once

#include <linux/types.h>

enum {
  SAMPLER_ROLES = 2,
  SAMPLER_PROCESSES = 256, /* watched at the same time */
  SAMPLER_DEPTH = 127,     /* frames, the kernel's limit */
  SAMPLER_BINS = 34,       /* empty, 32 equal parts, full */
  SAMPLER_SHARE_ONE = 1 << 16,
  SAMPLER_COST_ADDS = 1 << 16,    /* that counters.bpf.c times */
  SAMPLER_PATIENCE_NS = 20000000, /* how long to wait for the CPU that should copy the ring */
};

/* One sample of a watched process; only `frames` of `ip` are sent. */
struct sampler_sample {
  __u64 at_ns; /* CLOCK_MONOTONIC */
  __u32 role;
  __u32 frames;            /* 0: it was in user mode */
  __u64 ip[SAMPLER_DEPTH]; /* leaf first */
};

/* Cumulative; one per CPU and a shared one, see counter.bpf.h; whole cache lines. */
struct sampler_cpu {
  __u64 used_sum;            /* sum of used / slots, in units of 1 / SAMPLER_SHARE_ONE */
  __u64 bins[SAMPLER_BINS];  /* ring samples */
  __u64 lost[SAMPLER_ROLES]; /* samples dropped because the buffer was full */
  __u64 reserved[3];
};
