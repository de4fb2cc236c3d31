/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Where the wall time of a task goes: part of the records of sched.bpf.c and stages.bpf.c. */
#pragma once

#include <linux/types.h>

enum task_state {
  TASK_ON_CPU,
  TASK_RUNNABLE,
  TASK_BLOCKED,
  TASK_STATES,
  TASK_UNKNOWN = TASK_STATES, /* no event seen yet */
  TASK_NOBODY,                /* the task has exited */
};

/*
 * A switch in progress when we look was missed, and the state read then may be the old one. It is
 * over long before this time.
 */
#define TASK_SETTLED_NS 10000000ull

/*
 * The first field of the record of a task. The events of one task are serialised by locks of the
 * scheduler, so there is one writer at a time. Only the iterator writes what is `seen`.
 */
struct task_time {
  __u32 sequence;        /* odd while the record is being updated, but for what is seen */
  __u32 state;           /* enum task_state */
  __u64 since_ns;        /* CLOCK_MONOTONIC; while the state is unknown, the start of watching */
  __u64 ns[TASK_STATES]; /* cumulative, of completed intervals */
  __u64 sleeps;          /* cumulative: how often it has switched away to sleep */
  __u64 seen_ns;         /* when the iterator looked; what it found counts if not before since_ns */
  __u32 seen;            /* the state that it found */
  __u32 reserved;
};
