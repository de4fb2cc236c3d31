/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What sched.bpf.c passes to user space. */
#pragma once

#include <linux/types.h>

enum {
  SCHED_ROLES = 2,
  SCHED_STACKS = 128, /* per taker and role, a power of 2; usually there are few distinct ones */
  SCHED_DEPTH = 60,   /* frames */
  SCHED_NOT_TAKEN = 0xfffe,
  SCHED_NOT_KEPT = 0xffff,
  SCHED_LONG_NS = 1000000, /* from this length on, a sleep's stack is always taken */
};

/* Who takes stacks. */
enum sched_taker { SCHED_BY_EVENT, SCHED_BY_ITERATOR, SCHED_TAKERS };

enum sched_state {
  SCHED_ON_CPU,
  SCHED_RUNNABLE,
  SCHED_BLOCKED,
  SCHED_STATES,
  SCHED_UNKNOWN = SCHED_STATES, /* no event seen yet */
  SCHED_NOBODY,                 /* the task has exited */
};

struct sched_counts {     /* cumulative, over all processes of the role */
  __u64 ns[SCHED_STATES]; /* of completed intervals */
  __u64 voluntary;        /* switches: it went to sleep */
  __u64 involuntary;      /* it stayed runnable */
  __u64 wakeups;          /* wakeups that ended a sleep */
  __u64 lost, lost_ns;    /* completed sleeps whose stack could not be stored */
};

/*
 * A role's current state. The events of one task are serialised by locks of the
 * scheduler, so there is one writer at a time. Only the iterator writes the `seen`
 * fields.
 */
struct sched_role {
  __u32 sequence;   /* odd while this or the counts are being updated */
  __u32 state;      /* enum sched_state */
  __u64 since_ns;   /* CLOCK_MONOTONIC; while the state is unknown, the start of watching */
  __u32 stack;      /* of the current sleep: an index, or SCHED_NOT_... */
  __u32 stands_for; /* how many sleeps this one represents, if it is short */
  __u32 seen;       /* the state that the iterator found */
  __u32 seen_stack; /* if it was blocked */
  __u64 seen_ns;    /* both are valid if this is not before since_ns */
  struct sched_counts counts;
} __attribute__((aligned(64)));

/* A stack in which a role slept; each is stored once. */
struct sched_stack {
  __u64 hash;              /* 0: free */
  __u64 long_ns, short_ns; /* cumulative, of completed sleeps; short ones are scaled up */
  __u64 frames;
  __u64 ip[SCHED_DEPTH]; /* leaf first */
};
