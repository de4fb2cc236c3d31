// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Where the wall time of the two processes goes: on a CPU, runnable, blocked, and
// the stacks in which they went to sleep; and how full the ring is at each of these
// events. Tasks are identified by address, so switches of other tasks cost four
// comparisons each.
//
// Walking a stack takes 2 us, ten times as long as all the rest. If a role sleeps
// often, only a random part of the short sleeps has its stack taken, and these
// represent the others.

#include "sched.h"

#include "access.bpf.h"
#include "kernel.h"

// These need the kernel's types.
#include <bpf/bpf_tracing.h>

#include "occupancy.bpf.h"
#include "sched_stacks.bpf.h"
#include "task_time.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

// Addresses of the tasks, 0 for none; in a cache line that is rarely written.
__u64 role_task[SCHED_ROLES] __attribute__((aligned(64)));

// Set by user space: take the stack of one in this many short sleeps; the role that
// the iterator should look up.
volatile __u32 take_one_of[SCHED_ROLES] = {1, 1};
volatile __u32 asked_role;

struct sched_role roles[SCHED_ROLES];

static __always_inline __u32 role_of(const struct task_struct *task) {
  if ((__u64)task == role_task[0]) return 0;
  return (__u64)task == role_task[1] ? 1 : SCHED_ROLES;
}

// A function of its own, as in sampler.bpf.c.
static __noinline bool may_see_task(struct task_struct *task) { return may_see(task); }

// Whoever can no longer be seen is over for us. Of our own workers it is not asked: the verifier
// takes it out.
static __always_inline __u32 seen_role_of(struct task_struct *task) {
  const __u32 id = role_of(task);
  if (id >= SCHED_ROLES || sees_all || may_see_task(task)) return id;
  role_task[id] = 0;
  roles[id].time.state = TASK_NOBODY;
  return SCHED_ROLES;
}

static __always_inline void set_running(struct ring_watch *ring, __u32 id, bool runs) {
  if (runs)
    __sync_fetch_and_or(&ring->running, 1u << id);
  else
    __sync_fetch_and_and(&ring->running, ~(1u << id));
}

// One point for both: of what was until now. To be called before their records change.
static __always_inline void look_at_ring(__u32 from, __u32 to, __u64 now_ns) {
  struct ring_watch *ring = ring_watched();
  if (!ring) return;
  add_point(ring, OCCUPANCY_SWITCH, now_ns);
  if (from < SCHED_ROLES) set_running(ring, from, false);
  if (to < SCHED_ROLES) set_running(ring, to, true);
}

static __always_inline void end_sleep(struct sched_role *role, __u64 ns) {
  const __u32 at = role->stack;
  const bool is_long = ns >= SCHED_LONG_NS;
  const __u64 sleeps = is_long ? 1 : role->stands_for;
  if (at == SCHED_NOT_TAKEN) return;
  struct sched_stack *stack = bpf_map_lookup_elem(&stacks, &at);
  if (stack) {
    *(is_long ? &stack->long_ns : &stack->short_ns) += ns * sleeps;
  } else {
    role->lost += sleeps;
    role->lost_ns += ns * sleeps;
  }
}

static __always_inline void turn(struct sched_role *role, __u32 was, __u32 to, __u64 now_ns) {
  const struct task_interval last = change_state(&role->time, was, to, now_ns);
  if (last.state >= TASK_STATES) return;
  if (last.state == TASK_BLOCKED) end_sleep(role, last.ns);
  if (was == TASK_ON_CPU && to == TASK_RUNNABLE) ++role->involuntary;
  if (was == TASK_BLOCKED) ++role->wakeups;
}

// Random enough, and a third of the price of the kernel's.
static __always_inline __u32 random_of(struct sched_role *role) {
  role->random = role->random * 1664525 + 1013904223;
  return role->random >> 8;
}

static __always_inline void go_to_sleep(void *ctx, __u32 id, __u64 now_ns) {
  struct sched_role *role = &roles[id];
  const __u32 one_of = take_one_of[id];
  const bool take = one_of <= 1 || random_of(role) % one_of == 0;
  const __u32 stack = take ? stack_of_current(ctx, id) : SCHED_NOT_TAKEN;
  step_sequence(&role->time);
  turn(role, TASK_ON_CPU, TASK_BLOCKED, now_ns);
  role->stack = stack;
  role->stands_for = one_of;
  step_sequence(&role->time);
}

static __always_inline void wake_up(__u32 id, struct task_struct *task) {
  struct sched_role *role = &roles[id];
  const struct task_time *time = &role->time;
  const __u64 now_ns = bpf_ktime_get_ns();
  __u32 stack = role->stack;
  if (time->state == TASK_UNKNOWN) stack = SCHED_NOT_TAKEN;
  if (stack == SCHED_NOT_TAKEN && now_ns - time->since_ns >= SCHED_LONG_NS) {
    const bool seen = time->seen_ns >= time->since_ns && role->seen_stack < SCHED_NOT_TAKEN;
    stack = seen ? role->seen_stack : stack_of_sleeper(task, SCHED_BY_EVENT, id);
  }
  step_sequence(&role->time);
  role->stack = stack;
  turn(role, TASK_BLOCKED, TASK_RUNNABLE, now_ns);
  step_sequence(&role->time);
}

static __always_inline void step(__u32 id, __u32 was, __u32 to, __u64 now_ns) {
  step_sequence(&roles[id].time);
  turn(&roles[id], was, to, now_ns);
  step_sequence(&roles[id].time);
}

static __always_inline void leave_cpu(void *ctx, __u32 id, struct task_struct *task, bool preempt,
                                      __u64 now_ns) {
  switch (state_off_cpu(task->__state, preempt)) {
    case TASK_NOBODY:
      role_task[id] = 0;  // the address may soon be reused
      step(id, TASK_ON_CPU, TASK_NOBODY, now_ns);
      break;
    case TASK_RUNNABLE:
      step(id, TASK_ON_CPU, TASK_RUNNABLE, now_ns);
      break;
    default:
      go_to_sleep(ctx, id, now_ns);
  }
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next) {
  const __u32 from = seen_role_of(prev), to = seen_role_of(next);
  if (from >= SCHED_ROLES && to >= SCHED_ROLES) return 0;
  const __u64 now_ns = bpf_ktime_get_ns();
  look_at_ring(from, to, now_ns);
  if (from < SCHED_ROLES) leave_cpu(ctx, from, prev, preempt, now_ns);
  if (to < SCHED_ROLES) step(to, TASK_RUNNABLE, TASK_ON_CPU, now_ns);
  return 0;
}

SEC("tp_btf/sched_wakeup")
int on_wakeup(__u64 *ctx) {
  struct task_struct *task = (void *)ctx[0];
  const __u32 id = seen_role_of(task);
  if (id < SCHED_ROLES && was_asleep(&roles[id].time, task)) wake_up(id, task);
  return 0;
}

// Attached during a burst only: every syscall of the machine pays for it.
static __always_inline int on_syscall(void) {
  struct ring_watch *ring = ring_watched();
  const __u64 task = bpf_get_current_task();
  if (ring && ring->burst && (task == role_task[0] || task == role_task[1]))
    add_point(ring, OCCUPANCY_SYSCALL, bpf_ktime_get_ns());
  return 0;
}

SEC("raw_tp/sys_enter")
int on_enter(void *ctx) {
  (void)ctx;
  return on_syscall();
}

SEC("raw_tp/sys_exit")
int on_exit(void *ctx) {
  (void)ctx;
  return on_syscall();
}

// Begins to watch a task, and records what it is doing, for tasks that have not switched
// since (a busy loop may never do so), and for sleepers whose stack was not taken.
SEC("iter/task")
int inspect(struct bpf_iter__task *ctx) {
  struct task_struct *task = ctx->task;
  const __u32 id = asked_role;
  if (!task || id >= SCHED_ROLES || !reader_may_see(task)) return 0;
  struct sched_role *role = &roles[id];
  struct task_time *time = &role->time;
  const __u64 now_ns = bpf_ktime_get_ns();
  if ((__u64)task != role_task[id]) {
    // Nobody else writes here until the address is set.
    time->since_ns = now_ns;
    time->state = TASK_UNKNOWN;
    __sync_lock_test_and_set(&role_task[id], (__u64)task);
  }
  time->seen = seen_state(task->__state, task->on_cpu);
  struct ring_watch *ring = ring_watched();
  if (ring && time->state == TASK_UNKNOWN) set_running(ring, id, time->seen == TASK_ON_CPU);
  const bool asleep = time->seen == TASK_BLOCKED;
  role->seen_stack = asleep ? stack_of_sleeper(task, SCHED_BY_ITERATOR, id) : SCHED_NOT_KEPT;
  __sync_lock_test_and_set(&time->seen_ns, now_ns);  // not before the stack
  return 0;
}
