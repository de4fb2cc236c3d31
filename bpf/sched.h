/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What sched.bpf.c passes to user space. */
#pragma once

#include "task_time.h"

enum {
  SCHED_ROLES = 2,
  SCHED_STACKS = 128, /* per taker and role, a power of 2; usually there are few distinct ones */
  SCHED_DEPTH = 60,   /* frames */
  SCHED_NOT_TAKEN = 0xfffe,
  SCHED_NOT_KEPT = 0xffff,
  SCHED_LONG_NS = 1000000,    /* from this length on, a sleep's stack is always taken */
  SCHED_MEASURED_NS = 200000, /* for so long the distance of two clocks is as it was */
  SCHED_ONE_TIMED_OF = 61,    /* switches; no multiple of a pattern of theirs */
};

/* Who takes stacks. */
enum sched_taker { SCHED_BY_EVENT, SCHED_BY_ITERATOR, SCHED_TAKERS };

/* A role's processes, one after the other: what is counted goes on. */
struct sched_role {
  struct task_time time;
  __u32 stack;         /* of the current sleep: an index, or SCHED_NOT_... */
  __u32 stands_for;    /* how many sleeps this one represents, if it is short */
  __u64 involuntary;   /* cumulative, as all that follow: switches after which it stayed runnable */
  __u64 wakeups;       /* that ended a sleep */
  __u64 lost, lost_ns; /* completed sleeps whose stack could not be stored */
  __u64 waited_then;   /* all that it had waited for CPUs when it last left one */
  __s64 clock_distance; /* of our clock and the scheduler's, measured then; 0: not yet */
  __u64 seen_from_ns;   /* since when it did what the iterator saw */
  __u32 seen_stack;     /* if the iterator found it blocked */
  __u32 random;         /* for the choice of sleeps */
  __u32 until_chosen;   /* sleeps */
} __attribute__((aligned(64)));

/* A stack in which a role slept; each is stored once. */
struct sched_stack {
  __u64 hash;              /* 0: free */
  __u64 long_ns, short_ns; /* cumulative, of completed sleeps; short ones are scaled up */
  __u64 frames;
  __u64 ip[SCHED_DEPTH]; /* leaf first */
};
