/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Time at switches, from what the scheduler notes of each task by its own clocks, which no helper
 * reads. It spares a program at each wakeup, of which there are as many as switches; and where a
 * switch is from one role to the other, so that there are many, a look at our clock, which takes
 * longer than all the rest.
 *
 * What lies between their clocks and ours is measured now and then. It changes slowly, or when the
 * host takes the CPU away: such time is then counted at the next measurement.
 */
#pragma once

#include "kernel.h"
#include "sched.h"

/* What our clock is ahead of the scheduler's. They drift apart by some ppm. `arrived_ns`: of the
 * switch that had brought a task to its CPU, by ours. */
static __always_inline __s64 distance_of(const struct task_struct *task, __u64 arrived_ns) {
  return (__s64)(arrived_ns - task->sched_info.last_arrival);
}

/* Until a role has measured it; 0: not known. */
__s64 first_distance;

/* From any task that CPU 0 runs; of the idle one nothing is noted. */
static __always_inline void find_distance(struct task_struct *prev, struct task_struct *next) {
  static __u64 task, arrived_ns;
  if (first_distance || bpf_get_smp_processor_id() != 0) return;
  if (task == (__u64)prev && prev->sched_info.last_arrival)
    first_distance = distance_of(prev, arrived_ns);
  task = (__u64)next;
  arrived_ns = bpf_ktime_get_ns();
}

/*
 * A time that the scheduler noted of a role, if it is in the interval that goes on; else the nearer
 * end of this. `now_ns` if it noted none, or the distance is not known.
 */
static __always_inline __u64 noted_since(const struct sched_role *role, __u64 noted, __u64 now_ns) {
  const __s64 distance = role->clock_distance ? role->clock_distance : first_distance;
  const __u64 ns = noted + distance, since_ns = role->time.since_ns;
  if (!noted || !distance) return now_ns;
  if ((__s64)(ns - since_ns) < 0) return since_ns;
  return (__s64)(now_ns - ns) < 0 ? now_ns : ns;
}

/* From a CPU's own clock to ours; 0: not known. */
static struct {
  __s64 ns;
  __u64 until; /* by that clock */
  __u32 cpu;
} cpu_clock;

/* Now, at a switch to `next` on this CPU. Between two roles that share one, nearly. */
static __always_inline __u64 time_of_switch(struct task_struct *next, bool between_roles) {
  const __u64 noted = next->se.exec_start;
  const __u32 cpu = bpf_get_smp_processor_id();
  if (between_roles && cpu == cpu_clock.cpu && noted < cpu_clock.until) return noted + cpu_clock.ns;
  const __u64 now_ns = bpf_ktime_get_ns();
  if (between_roles) {
    cpu_clock.ns = (__s64)(now_ns - noted);
    cpu_clock.until = noted + SCHED_MEASURED_NS;
    cpu_clock.cpu = cpu;
  } else if (cpu == cpu_clock.cpu && cpu_clock.until) {
    cpu_clock.until = 0; /* only then: each switch of any task reads this cache line */
  }
  return now_ns;
}
