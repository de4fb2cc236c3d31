/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How full the ring was over time, as the programs count it and user space reads it. */
#pragma once

#include <linux/types.h>

enum {
  OCCUPANCY_BINS = 34,          /* empty, 32 equal parts, full */
  OCCUPANCY_STEPS = 64,         /* a power of 2, so that a mask proves that a bin is within */
  OCCUPANCY_SHARE_ONE = 0xffff, /* a full ring */
  OCCUPANCY_SHARE_BITS = 16,
  OCCUPANCY_SHARE_SHIFT = 4,    /* share_ns loses these bits, so that it lasts for weeks */
  OCCUPANCY_BURST_NS = 1000000, /* stretches of a burst are shorter than this */
  OCCUPANCY_BOTH = 3,           /* ring_watch.running: both roles */
};

/*
 * Time by how full the ring was. A stretch during which it went from one bin to another
 * counts for all bins between them; to keep that one step, differences are stored: the
 * time in bin i is the sum of steps[0..i].
 */
struct occupancy_sum {
  __u64 steps[OCCUPANCY_STEPS + 1]; /* ns */
  __u64 share_ns;                   /* sum of share * ns, >> OCCUPANCY_SHARE_SHIFT */
};

/* Time in which the ring moved, and a fair sample of what it did then. */
struct occupancy_motion {
  __u64 ns;
  struct occupancy_sum sampled;
};

/* Cumulative. Each stretch between two points is in one of the three. */
struct occupancy_record {
  struct occupancy_sum still; /* no role ran, so nothing moved */
  struct occupancy_motion one, both;
  __u64 points; /* that tell something about the ring */
};

/* The ring that is watched. */
struct ring_watch {
  __u64 pipe;    /* its kernel address, 0: none */
  __u32 running; /* roles that are on a CPU, a bit each; kept by the scheduler's programs */
  __u32 burst;   /* every syscall of the roles gives a point */
  __u64 tick_ns; /* the time that a tick stands for; set by user space with its rate */
  __u64 reserved[5];
  __u64 point; /* the last one: its time, then how full the ring was; in a line of its own */
  __u64 reserved_too[7];
};
