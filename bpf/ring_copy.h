/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A pipe's ring as the programs copy it; ring.bpf.c explains the copy. */
#pragma once

#include <linux/types.h>

enum {
  RING_SLOTS = 4096,      /* that one look can describe */
  RING_BUFFER_BYTES = 40, /* a pipe_buffer of every kernel that we know */
};

/* Who copies; each has a copy of its own. */
enum ring_copier {
  RING_BY_ITERATOR, /* at once, while our own process runs */
  RING_BY_TICK,     /* when asked to, while whoever runs is interrupted */
  RING_COPIERS,
};

/* The pipe's buffers as the kernel has them, by index. */
struct ring_copy {
  __u64 at_ns; /* CLOCK_MONOTONIC; written last: it tells that a copy is complete */
  __u64 pipe;  /* the kernel's address of it */
  __u32 slots;
  __u32 head, tail;
  __u32 readers, writers;
  __u32 torn; /* both ends moved on meanwhile */
  __u64 bufs[RING_SLOTS * RING_BUFFER_BYTES / sizeof(__u64)];
};
