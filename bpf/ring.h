/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A pipe's ring: as the programs copy it, and the snapshot that ring.bpf.c decodes from a copy. */
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

struct ring_state {
  __u64 at_ns; /* CLOCK_MONOTONIC; 0: the pipe was not found */
  __u64 pipe;  /* its kernel address */
  __u32 slots;
  __u32 head, tail;
  __u32 readers, writers;
  __u32 torn; /* both ends moved during the copy */
};

/* The pipe's buffers as in the kernel, by index. */
struct ring_copy {
  struct ring_state ring; /* at_ns is written last, when the copy is complete */
  __u64 bufs[RING_SLOTS * RING_BUFFER_BYTES / sizeof(__u64)];
};

enum ring_kind {
  RING_EMPTY,
  RING_COPY,
  RING_USER_PAGE,
  RING_PAGE_CACHE,
  RING_ZERO_PAGE,
  RING_OTHER,
  RING_KINDS,
};

/* The try_steal functions that identify a slot's kind. */
enum ring_stealer {
  RING_STEAL_ANON,    /* a copy, made by write */
  RING_STEAL_GENERIC, /* a copy, made by splice if the source cannot lend pages */
  RING_STEAL_USER_PAGE,
  RING_STEAL_PAGE_CACHE,
  RING_STEAL_ZERO_PAGE,
  RING_STEALERS,
};

struct ring_slot {
  __u32 offset;
  __u32 length;
  __u32 flags;
  __u8 kind;
  __u8 huge;
  __u8 consecutive;
  __u8 reserved;
};

struct ring_snapshot {
  struct ring_state ring;
  __u32 filled; /* valid entries of `slot` */
  __u32 reserved;
  struct ring_slot slot[RING_SLOTS]; /* by distance from the tail */
};
