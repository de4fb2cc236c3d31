/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What ring.bpf.c passes to user space: one snapshot of a pipe. */
#pragma once

#include "ring_copy.h"

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
  __u64 at_ns; /* CLOCK_MONOTONIC; 0: the pipe was not found */
  __u64 pipe;  /* its kernel address */
  __u32 slots;
  __u32 head, tail;
  __u32 readers, writers;
  __u32 torn;   /* both ends moved during the copy */
  __u32 filled; /* valid entries of `slot` */
  __u32 reserved;
  struct ring_slot slot[RING_SLOTS]; /* by distance from the tail */
};
