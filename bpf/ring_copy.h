/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A pipe's ring as the programs copy it; ring.bpf.c decodes the copy. */
#pragma once

#include <linux/types.h>

enum {
  RING_SLOTS = 4096,      /* the most that one snapshot can describe */
  RING_BUFFER_BYTES = 40, /* of a pipe_buffer, in every kernel that we know of */
};

/* Who makes the copy; each has its own. */
enum ring_copier {
  RING_BY_ITERATOR, /* immediately, while our own process runs */
  RING_BY_TICK,     /* on request, in an interrupt */
  RING_COPIERS,
};

/* The pipe's buffers as in the kernel, by index. */
struct ring_copy {
  __u64 at_ns; /* CLOCK_MONOTONIC; written last, when the copy is complete */
  __u64 pipe;  /* its kernel address */
  __u32 slots;
  __u32 head, tail;
  __u32 readers, writers;
  __u32 torn; /* both ends moved during the copy */
  __u64 bufs[RING_SLOTS * RING_BUFFER_BYTES / sizeof(__u64)];
};
