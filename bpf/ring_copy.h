/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A pipe's ring as it is copied; ring.bpf.c explains the copy. */
#pragma once

#include <linux/types.h>

enum {
  RING_SLOTS = 4096,      /* that one look can describe */
  RING_BUFFER_BYTES = 40, /* a pipe_buffer of every kernel that we know */
};

/* The pipe's buffers as the kernel has them, by index. */
struct ring_copy {
  __u64 at_ns; /* CLOCK_MONOTONIC; */
  __u64 pipe;  /* the kernel's address of it */
  __u32 slots;
  __u32 head, tail;
  __u32 readers, writers;
  __u32 torn; /* both ends moved on meanwhile */
  __u64 bufs[RING_SLOTS * RING_BUFFER_BYTES / sizeof(__u64)];
};
