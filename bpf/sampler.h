/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What sampler.bpf.c passes to user space. */
#pragma once

#include "occupancy.h"

enum {
  SAMPLER_ROLES = 2,
  SAMPLER_PROCESSES = 256,     /* watched at the same time */
  SAMPLER_DEPTH = 127,         /* frames, the kernel's limit */
  SAMPLER_COST_ADDS = 1 << 16, /* that counter_cost.bpf.c times */
  SAMPLER_PATIENCE_NS =
      20000000, /* how long to wait at least for the CPU that should copy the ring */
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
  __u64 lost[SAMPLER_ROLES];       /* samples dropped because the buffer was full */
  __u64 switches, timed, timed_ns; /* runs of the program at switches; some are timed */
  struct occupancy_record occupancy;
} __attribute__((aligned(64)));
