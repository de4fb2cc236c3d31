/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counts where the wall time of a task goes, at each event that changes its state.
 *
 * A sleep ends when the task is put on a run queue, under the queue's lock and thus always after
 * the switch that began the sleep: at sched_wakeup, not sched_waking. The scheduler notes that
 * time, too, and schedstat counts waiting from there.
 */
#pragma once

#include "kernel.h"
#include "task_time.h"

/*
 * Before and after a change of a record, which user space reads between two changes.
 *
 * x86 makes stores visible in their order; an exchange is a full barrier on every architecture, and
 * takes as long as a fifth of all the rest of a program.
 */
static __always_inline void step_sequence(struct task_time *time) {
#ifdef __TARGET_ARCH_x86
  barrier();
  *(volatile __u32 *)&time->sequence = time->sequence + 1;
  barrier();
#else
  __sync_lock_test_and_set(&time->sequence, time->sequence + 1);
#endif
}

struct task_interval {
  __u32 state; /* that has ended; TASK_STATES or more: none was counted */
  __u64 ns;
};

/*
 * From `was`, which the event implies, to another state; both are constants. The first event shows
 * in which state the task has been since we began to watch it.
 */
static __always_inline struct task_interval change_state(struct task_time *time, __u32 was,
                                                         __u32 to, __u64 now_ns) {
  __u64 from = time->state == TASK_UNKNOWN ? was : time->state;
  barrier_var(from); /* else clang checks a copy, and 6.1 doesn't know that it is one */
  if (from >= TASK_STATES) return (struct task_interval){from, 0};
  if ((__s64)(now_ns - time->since_ns) < 0) now_ns = time->since_ns; /* clocks differ by a little */
  const __u64 ns = now_ns - time->since_ns;
  time->ns[from] += ns;
  if (to == TASK_BLOCKED) ++time->sleeps;
  time->state = to;
  time->since_ns = now_ns;
  return (struct task_interval){from, ns};
}

/*
 * Where a task goes that leaves its CPU. Takes its state from the task and not from the arguments
 * of the tracepoint: up to 6.15 these report a task as asleep that kept running because a signal
 * was pending.
 */
static __always_inline __u32 state_off_cpu(__u32 state, bool preempt) {
  if (state & TASK_DEAD) return TASK_NOBODY;
  return preempt || state == 0 ? TASK_RUNNABLE : TASK_BLOCKED;
}

/* For the iterator: a task may not have switched since it is watched; a busy loop may never. */
static __always_inline __u32 seen_state(__u32 state, bool on_cpu) {
  return on_cpu ? TASK_ON_CPU : state ? TASK_BLOCKED : TASK_RUNNABLE;
}
