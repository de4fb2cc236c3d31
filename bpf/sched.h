/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What sched.bpf.c hands to user space. */
#pragma once

#include <linux/types.h>

enum {
  SCHED_ROLES = 2,
  SCHED_TAKERS = 2,   /* of stacks: the events, the iterator */
  SCHED_STACKS = 128, /* a taker and role, a power of 2; few distinct ones are usual */
  SCHED_DEPTH = 60,   /* frames */
  SCHED_NOT_TAKEN = 0xfffe,
  SCHED_NOT_KEPT = 0xffff,
  SCHED_LONG_NS = 1000000, /* a sleep whose stack is always taken */
};

enum sched_state {
  SCHED_ON_CPU,
  SCHED_RUNNABLE,
  SCHED_BLOCKED,
  SCHED_STATES,
  SCHED_UNKNOWN = SCHED_STATES, /* no event seen yet since it is watched */
  SCHED_NOBODY,                 /* the task is no more */
};

struct sched_counts {     /* cumulative, whoever played the role */
  __u64 ns[SCHED_STATES]; /* of ended intervals */
  __u64 voluntary;        /* switches: it went to sleep */
  __u64 involuntary;      /* it stayed runnable */
  __u64 wakeups;          /* that ended a sleep */
  __u64 lost, lost_ns;    /* ended sleeps whose stack could not be kept */
};

/*
 * A role's present state. The events of one task come one after the other, each
 * under a lock of the scheduler, so there is one writer at a time. The iterator
 * alone writes what was seen.
 */
struct sched_role {
  __u32 sequence;   /* odd while this or the counts are being changed */
  __u32 state;      /* enum sched_state */
  __u64 since_ns;   /* CLOCK_MONOTONIC; if unknown, since when it is watched */
  __u32 stack;      /* of the present sleep, an index, or SCHED_NOT_... */
  __u32 stands_for; /* that many sleeps, if it is a short one */
  __u32 seen;       /* the state that the iterator found it in */
  __u32 seen_stack; /* if that was blocked */
  __u64 seen_ns;    /* both hold if that is not before since_ns */
  struct sched_counts counts;
} __attribute__((aligned(64)));

/* Of sleeps; each is kept once. */
struct sched_stack {
  __u64 hash;              /* 0: free */
  __u64 long_ns, short_ns; /* cumulative, of ended sleeps; the short stand for others, too */
  __u64 frames;
  __u64 ip[SCHED_DEPTH]; /* leaf first */
};
