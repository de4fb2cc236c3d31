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

/* Of our clock and the scheduler's; 0: not known. They drift apart by some ppm. */
__s64 clock_distance;

/* Of a role that leaves its CPU, to which the switch at `arrived_ns` had brought it. */
static __always_inline void measure_distance(struct task_struct *task, __u64 arrived_ns) {
  clock_distance = (__s64)(arrived_ns - task->sched_info.last_arrival);
}

/* Until a role tells: from any task that CPU 0 runs; of the idle one nothing is noted. */
static __always_inline void find_distance(struct task_struct *prev, struct task_struct *next) {
  static __u64 task, arrived_ns;
  if (clock_distance || bpf_get_smp_processor_id() != 0) return;
  if (task == (__u64)prev && prev->sched_info.last_arrival) measure_distance(prev, arrived_ns);
  task = (__u64)next;
  arrived_ns = bpf_ktime_get_ns();
}

/*
 * A time that the scheduler noted, if it is from `from_ns` to `to_ns`; else the nearer of these.
 * The later one if it noted none, or the distance is not known.
 */
static __always_inline __u64 noted_between(__u64 noted, __u64 from_ns, __u64 to_ns) {
  const __u64 ns = noted + clock_distance;
  if (!noted || !clock_distance) return to_ns;
  if ((__s64)(ns - from_ns) < 0) return from_ns;
  return (__s64)(to_ns - ns) < 0 ? to_ns : ns;
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
  cpu_clock.ns = (__s64)(now_ns - noted);
  cpu_clock.until = between_roles ? noted + SCHED_MEASURED_NS : 0;
  cpu_clock.cpu = cpu;
  return now_ns;
}
