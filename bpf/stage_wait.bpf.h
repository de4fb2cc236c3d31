/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a thread that goes to sleep, or is asleep, waits for. */
#pragma once

#include "stage_calls.bpf.h"
#include "stage_pipes.bpf.h"

#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_STOPPED_OR_TRACED 0xc
#define TASK_NOLOAD 0x400
#define TASK_RTLOCK_WAIT 0x1000
#define TASK_FROZEN 0x8000
#define JOBCTL_TRAP_FREEZE (1 << 23)

struct stage_sleep {
  __u32 wait; /* enum stage_wait */
  __u64 key;  /* of its place; 0: none */
};

static __always_inline struct stage_sleep sleep_for(__u32 wait, __u32 number) {
  return (struct stage_sleep){wait, (__u64)wait << 32 | number};
}

/* In a frozen cgroup, a thread sleeps as if it waited for a signal, in whatever call it was in. */
static __always_inline bool is_stopped(struct task_struct *task, __u32 state, bool deep) {
  if (state & (TASK_STOPPED_OR_TRACED | TASK_FROZEN)) return true;
  return !deep && (task->jobctl & JOBCTL_TRAP_FREEZE);
}

static __always_inline struct stage_sleep sleep_on_data(struct task_struct *task,
                                                        struct stage_route route, bool deep) {
  const bool between = route.in >= 0 && route.out >= 0;
  struct pipe_end in = {}, out = {};
  if (route.in >= 0) in = end_at(task, route.in, between);
  if (route.out >= 0) out = end_at(task, route.out, between);
  if (deep) {
    /* Sleeps for a pipe can be interrupted, so it is the other end that holds its mutex. */
    const bool only_pipes = (route.in < 0 || in.is_pipe) && (route.out < 0 || out.is_pipe);
    return sleep_for(only_pipes ? STAGE_LOCK : STAGE_DISK, 0);
  }
  bool reading = route.in >= 0;
  if (between && (in.ring || out.ring)) {
    const struct pipe_fill fill = read_fill(in.ring ? in.ring : out.ring);
    reading = in.ring ? fill.ends.head == fill.ends.tail : !is_full(&fill);
  }
  const __u32 id = reading ? in.id : out.id;
  if (id) return sleep_for(reading ? STAGE_PIPE_READ : STAGE_PIPE_WRITE, id);
  return sleep_for(reading ? STAGE_FD_READ : STAGE_FD_WRITE, reading ? route.in : route.out);
}

/* `state` is the task's, and not 0. */
static __always_inline struct stage_sleep sleep_of(struct task_struct *task, __u32 state) {
  const bool deep = (state & TASK_UNINTERRUPTIBLE) && !(state & TASK_NOLOAD);
  if (is_stopped(task, state, deep)) return sleep_for(STAGE_STOPPED, 0);
  if (state & TASK_RTLOCK_WAIT) return sleep_for(STAGE_LOCK, 0);
  const struct system_call call = system_call_of(task, (void *)bpf_task_pt_regs(task));
  const __u32 kind = kind_of(&call);
  if (kind < STAGE_WAITS || kind == STAGE_RESTART) /* vfork waits so for its child. */
    return sleep_for(deep && kind != STAGE_CHILD ? STAGE_DISK : kind, 0);
  return sleep_on_data(task, route_of(task, kind, &call), deep);
}
