/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How full the ring is over time. Counting the ticks of a clock would not do: a tick on the
 * writer's CPU stops the writer first, so it finds the ring empty, and an idle CPU of a
 * virtual machine hardly ticks. So the scheduler's events divide the time into
 *  - stretches in which no role runs: the ring stands still, and is known;
 *  - those in which one role runs: whichever tick samples it is fair, because the one that
 *    it may stop is the only one that moves anything;
 *  - those in which both run: a tick is fair if it stops none of the two. Where no other
 *    CPU ticks, bursts are the sample: every syscall of the roles gives a point.
 */
#pragma once

#include "counter.bpf.h"
#include "sampler.h"

/* Indexed by CPU; a per-CPU array cannot be mapped. User space sizes it: one per CPU, and a shared
 * one. */
MAPPED_ARRAY(cpus, 2, struct sampler_cpu);
MAPPED_ARRAY(watches, 1, struct ring_watch);

const volatile __u32 cpu_count = 1;

static __always_inline struct sampler_cpu *my_record(void) {
  const __u32 key = counter_record(cpu_count);
  return bpf_map_lookup_elem(&cpus, &key);
}

static __always_inline struct ring_watch *ring_watched(void) {
  const __u32 zero = 0;
  return bpf_map_lookup_elem(&watches, &zero);
}

/* Exact at both ends: 0 is empty and OCCUPANCY_SHARE_ONE is full, nothing else is. */
static __always_inline __u64 share_of(__u32 used, __u32 slots) {
  if (used == 0 || used == slots) return used ? OCCUPANCY_SHARE_ONE : 0;
  const __u64 share = ((__u64)used << OCCUPANCY_SHARE_BITS) / slots;
  return share == 0 ? 1 : share >= OCCUPANCY_SHARE_ONE ? OCCUPANCY_SHARE_ONE - 1 : share;
}

static __always_inline __u64 bin_of(__u64 share) {
  __u64 bin = 1 + (share * (OCCUPANCY_BINS - 2) >> OCCUPANCY_SHARE_BITS);
  if (share == 0) bin = 0;
  if (share >= OCCUPANCY_SHARE_ONE) bin = OCCUPANCY_BINS - 1;
  barrier_var(bin); /* else clang drops the mask, without which 6.1 does not know the range */
  return bin & (OCCUPANCY_STEPS - 1);
}

/* `ns` during which the share went from `a` to `b`: the two ends count half. */
static __always_inline void add_time(struct occupancy_sum *sum, __u64 a, __u64 b, __u64 ns) {
  const __u64 low = bin_of(a < b ? a : b), high = bin_of(a < b ? b : a);
  __u64 bins = high - low;
  barrier_var(bins); /* comparing low and high leads 6.1 into paths that cannot be */
  const __u64 half = bins ? ns / (2 * bins) : ns;
  counter_add(&sum->steps[low], half);
  if (bins) {
    counter_add(&sum->steps[low + 1], half);
    counter_add(&sum->steps[high], -half);
  }
  counter_add(&sum->steps[high + 1], -half);
  counter_add(&sum->share_ns, (a + b) * ns >> (OCCUPANCY_SHARE_SHIFT + 1));
}

enum occupancy_event { OCCUPANCY_TICK, OCCUPANCY_SWITCH, OCCUPANCY_SYSCALL };

/* The roles' state must still be that of the time before this point. */
static __always_inline void add_point(struct ring_watch *ring, enum occupancy_event event,
                                      __u64 now_ns) {
  struct pipe_inode_info *pipe = (struct pipe_inode_info *)ring->pipe;
  struct sampler_cpu *cpu = my_record();
  if (!pipe || !cpu) return;
  const struct pipe_fill fill = read_fill(pipe);
  const __u32 slots = fill.slots, used = fill.ends.head - fill.ends.tail;
  if (slots == 0 || used > slots) return; /* in the middle of a resize */
  const __u64 share = share_of(used, slots);
  const __u64 now = now_ns << OCCUPANCY_SHARE_BITS | share;
  /* An exchange, so that each stretch is counted once, whichever CPU ends it. */
  const __u64 last = __sync_lock_test_and_set(&ring->point, now);
  const __u64 ns = (now - last) >> OCCUPANCY_SHARE_BITS, last_share = last & OCCUPANCY_SHARE_ONE;
  if (last == 0 || ns >> 40) return; /* the first one, or another CPU's was later */

  struct occupancy_record *record = &cpu->occupancy;
  const bool both = ring->running == OCCUPANCY_BOTH;
  struct occupancy_motion *motion = both ? &record->both : &record->one;
  if (!ring->running) {
    add_time(&record->still, last_share, last_share, ns);
  } else {
    counter_add(&motion->ns, ns);
    if (event == OCCUPANCY_TICK)
      add_time(&motion->sampled, share, share, ring->tick_ns);
    else if (event == OCCUPANCY_SYSCALL && both && ns <= OCCUPANCY_BURST_NS)
      add_time(&motion->sampled, last_share, share, ns);
    else
      return;
  }
  counter_add(&record->points, 1);
}
