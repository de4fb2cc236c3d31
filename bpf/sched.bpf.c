// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Where the wall time of the two processes goes: on a CPU, runnable, blocked, and
// the stacks in which they went to sleep; and how full the ring is at each of these
// events. Tasks are identified by address, so switches of other tasks cost four
// comparisons each. When a sleeper was woken shows at the switch that ends its wait.
//
// Walking a stack takes 2 us and more, many times as long as all the rest. If a role
// sleeps often, only a random part of the short sleeps has its stack taken, and these
// represent the others.

#include "sched.h"

#include "access.bpf.h"
#include "kernel.h"

// These need the kernel's types.
#include <bpf/bpf_tracing.h>

#include "occupancy.bpf.h"
#include "sched_clock.bpf.h"
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

// 6.1 forgets the range of an index that it keeps on the stack.
static __always_inline __u32 within_roles(__u32 id) {
  barrier_var(id);
  return id & (SCHED_ROLES - 1);
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
  if (id >= SCHED_ROLES || !(ring->running & 1u << id) == !runs) return;
  if (runs)
    __sync_fetch_and_or(&ring->running, 1u << id);
  else
    __sync_fetch_and_and(&ring->running, ~(1u << id));
}

// One point for both: of what was until now. To be called before their records change. From one
// role to the other the ring goes on being moved by one, so there is nothing to look at.
static __always_inline void look_at_ring(__u32 from, __u32 to, __u64 now_ns) {
  struct ring_watch *ring = ring_watched();
  if (!ring) return;
  if (from >= SCHED_ROLES || to >= SCHED_ROLES) add_point(ring, OCCUPANCY_SWITCH, now_ns);
  set_running(ring, from, false);
  set_running(ring, to, true);
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

// Whether the stack of this sleep is to be taken, as that of one in so many. The distance between
// them is random, or it would beat with what the roles do.
static __always_inline bool is_chosen(struct sched_role *role, __u32 one_of) {
  if (one_of <= 1) return true;
  if (role->until_chosen - 1 < 2 * one_of && --role->until_chosen > 0) return false;
  role->random = role->random * 1664525 + 1013904223;
  role->until_chosen = 1 + (role->random >> 8) % (2 * one_of - 1);
  return true;
}

static __always_inline __u32 stack_if_chosen(void *ctx, __u32 id) {
  return is_chosen(&roles[id], take_one_of[id]) ? stack_of_current(ctx, id) : SCHED_NOT_TAKEN;
}

// Whether the iterator has looked since the last event.
static __always_inline bool is_seen(const struct task_time *time) {
  return time->seen_ns >= time->since_ns;
}

static __always_inline bool has_seen_stack(const struct sched_role *role) {
  return is_seen(&role->time) && role->seen_stack < SCHED_NOT_TAKEN;
}

// Its stack is still that of its sleep.
static __always_inline void take_stack_if_long(struct sched_role *role, __u32 id,
                                               struct task_struct *task, __u64 slept_ns) {
  if (role->time.state == TASK_UNKNOWN) role->stack = SCHED_NOT_TAKEN;
  if (role->stack != SCHED_NOT_TAKEN || slept_ns < SCHED_LONG_NS) return;
  role->stack =
      has_seen_stack(role) ? role->seen_stack : stack_of_sleeper(task, SCHED_BY_EVENT, id);
}

// If no event has shown it, as the iterator found it.
static __always_inline bool has_slept(const struct task_time *time) {
  if (time->state != TASK_UNKNOWN) return time->state == TASK_BLOCKED;
  return is_seen(time) && time->seen == TASK_BLOCKED;
}

// A role that is off the CPUs for so long may have been switched in without a report.
static __always_inline bool is_overdue(const struct task_time *time, __u64 now_ns) {
  return (time->state == TASK_BLOCKED || time->state == TASK_RUNNABLE) &&
         now_ns - time->since_ns > TASK_SETTLED_NS;
}

// To a CPU at `now_ns`. Who was asleep has been woken before.
static __always_inline void enter_cpu(__u32 id, struct task_struct *task, __u64 now_ns) {
  struct sched_role *role = &roles[id];
  step_sequence(&role->time);
  if (has_slept(&role->time)) {
    const __u64 woken_ns = noted_since(role, task->sched_info.last_queued, now_ns);
    take_stack_if_long(role, id, task, woken_ns - role->time.since_ns);
    turn(role, TASK_BLOCKED, TASK_RUNNABLE, woken_ns);
  }
  turn(role, TASK_RUNNABLE, TASK_ON_CPU, now_ns);
  step_sequence(&role->time);
}

// Some switches to a role are not reported: here none is from one kind of thread. What we took for
// a sleep, or a wait, has ended when the scheduler noted that it arrived.
static __always_inline void make_up_for_switch(struct sched_role *role, struct task_struct *task,
                                               __u64 now_ns) {
  const __u64 since_ns = role->time.since_ns;
  const __u64 arrived_ns = noted_since(role, task->sched_info.last_arrival, now_ns);
  if (role->time.state == TASK_BLOCKED) {
    const __u64 waited_ns = task->sched_info.run_delay - role->waited_then;
    turn(role, TASK_BLOCKED, TASK_RUNNABLE,
         arrived_ns - since_ns > waited_ns ? arrived_ns - waited_ns : since_ns);
  }
  turn(role, TASK_RUNNABLE, TASK_ON_CPU, arrived_ns);
}

static __always_inline void leave_cpu(void *ctx, __u32 id, struct task_struct *task, bool preempt,
                                      __u64 now_ns) {
  struct sched_role *role = &roles[id];
  const __u32 to = state_off_cpu(task->__state, preempt);
  const __u32 stack = to == TASK_BLOCKED ? stack_if_chosen(ctx, id) : SCHED_NOT_TAKEN;
  if (to == TASK_NOBODY) role_task[id] = 0;  // the address may soon be reused
  step_sequence(&role->time);
  if (role->time.state == TASK_ON_CPU)
    role->clock_distance = distance_of(task, role->time.since_ns);
  else if (role->time.state < TASK_STATES)
    make_up_for_switch(role, task, now_ns);
  turn(role, TASK_ON_CPU, to, now_ns);
  role->waited_then = task->sched_info.run_delay;
  role->stack = stack;
  role->stands_for = take_one_of[id];
  step_sequence(&role->time);
}

// Some runs are timed, between these two. 0: this one isn't.
static __always_inline __u64 begin_run(struct sampler_cpu *cpu) {
  counter_add(&cpu->switches, 1);
  return cpu->switches % SCHED_ONE_TIMED_OF ? 0 : bpf_ktime_get_ns();
}

static __always_inline void end_run(struct sampler_cpu *cpu, __u64 begin_ns) {
  if (!begin_ns) return;
  counter_add(&cpu->timed_ns, bpf_ktime_get_ns() - begin_ns);
  counter_add(&cpu->timed, 1);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next) {
  struct sampler_cpu *cpu = my_record();
  if (!cpu) return 0;
  const __u64 begin_ns = begin_run(cpu);
  find_distance(prev, next);
  const __u32 from = seen_role_of(prev), to = seen_role_of(next);
  if (from < SCHED_ROLES || to < SCHED_ROLES) {
    const __u64 now_ns = time_of_switch(next, from < SCHED_ROLES && to < SCHED_ROLES);
    look_at_ring(from, to, now_ns);
    if (from < SCHED_ROLES) leave_cpu(ctx, within_roles(from), prev, preempt, now_ns);
    if (to < SCHED_ROLES) enter_cpu(within_roles(to), next, now_ns);
  }
  end_run(cpu, begin_ns);
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

// Since when it does what the iterator sees.
static __always_inline __u64 seen_from(const struct sched_role *role,
                                       const struct task_struct *task, __u64 now_ns) {
  const struct sched_info *noted = &task->sched_info;
  switch (role->time.seen) {
    case TASK_ON_CPU:
      return noted_since(role, noted->last_arrival, now_ns);
    case TASK_RUNNABLE:
      return noted_since(role, noted->last_queued, now_ns);
    default:
      return now_ns;
  }
}

// Of a sleep that goes on. While the iterator takes one, the event's program can take none.
static __always_inline bool is_stack_known(const struct sched_role *role) {
  const bool is_taken = role->time.state == TASK_BLOCKED && role->stack != SCHED_NOT_TAKEN;
  return is_taken || has_seen_stack(role);
}

// Begins to watch a task, and records what it is doing, for tasks that have not switched
// since (a busy loop may never do so), and for sleepers whose stack was not taken.
SEC("iter/task")
int inspect(struct bpf_iter__task *ctx) {
  struct task_struct *task = ctx->task;
  const __u32 id = within_roles(asked_role);
  if (!task || !reader_may_see(task)) return 0;
  struct sched_role *role = &roles[id];
  struct task_time *time = &role->time;
  const __u64 now_ns = bpf_ktime_get_ns();
  if ((__u64)task != role_task[id]) {
    // Nobody else writes here until the address is set.
    time->since_ns = now_ns;
    time->state = TASK_UNKNOWN;
    role->waited_then = task->sched_info.run_delay;
    __sync_lock_test_and_set(&role_task[id], (__u64)task);
  }
  // It was asleep when we began, and the next event is to find it so: by now it may be woken.
  if (time->state == TASK_UNKNOWN && time->seen == TASK_BLOCKED &&
      time->seen_ns > time->since_ns + TASK_SETTLED_NS)
    return 0;
  time->seen = seen_state(task->__state, task->on_cpu);
  role->seen_from_ns = seen_from(role, task, now_ns);
  struct ring_watch *ring = ring_watched();
  if (ring && (time->state == TASK_UNKNOWN || is_overdue(time, now_ns)))
    set_running(ring, id, time->seen == TASK_ON_CPU);
  if (time->seen != TASK_BLOCKED)
    role->seen_stack = SCHED_NOT_KEPT;
  else if (!is_stack_known(role))
    role->seen_stack = stack_of_sleeper(task, SCHED_BY_ITERATOR, id);
  __sync_lock_test_and_set(&time->seen_ns, now_ns);  // not before the stack
  return 0;
}
