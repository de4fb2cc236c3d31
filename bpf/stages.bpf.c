// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Where the time of other people's threads goes: on a CPU, runnable, or blocked in which pipe or
// for what else. As in sched.bpf.c, threads are identified by address.
//
// What a thread waits for is decided when it goes to sleep, from its state and the system call that
// it is in. What a descriptor is that is no watched pipe, user space finds out.

#include "stages.h"

#include "access.bpf.h"
#include "kernel.h"

// These need the kernel's types.
#include <bpf/bpf_tracing.h>

#include "stage_threads.bpf.h"
#include "stage_wait.bpf.h"
#include "task.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u64 ns_per_tick = 10000000;  // of the clock of /proc; set by user space

static __always_inline void leave_cpu(struct stage_thread *thread, struct task_struct *task,
                                      bool preempt, __u64 now_ns) {
  const __u32 state = task->__state, to = state_off_cpu(state, preempt);
  if (to == TASK_BLOCKED)
    go_to_sleep(thread, sleep_of(task, state), now_ns);
  else
    step(thread, TASK_ON_CPU, to, now_ns);
}

// Whoever can no longer be seen is over for us.
static __always_inline struct stage_thread *seen_thread_of(struct task_struct *task) {
  struct stage_thread *thread = thread_of(task);
  if (!thread || may_see(task)) return thread;
  thread->time.state = TASK_NOBODY;
  return NULL;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next) {
  (void)ctx;
  struct stage_thread *from = seen_thread_of(prev), *to = seen_thread_of(next);
  __u64 now_ns = 0;  // taken after both were found: not before they are watched
  if (from && from->time.state != TASK_NOBODY) {
    now_ns = bpf_ktime_get_ns();
    leave_cpu(from, prev, preempt, now_ns);
  }
  if (to) step(to, TASK_RUNNABLE, TASK_ON_CPU, now_ns ? now_ns : bpf_ktime_get_ns());
  return 0;
}

// A task that is woken before it has switched away did not sleep.
static __always_inline bool was_asleep(const struct task_time *time,
                                       const struct task_struct *task) {
  return time->state == TASK_UNKNOWN ? !task->on_cpu : time->state == TASK_BLOCKED;
}

SEC("tp_btf/sched_wakeup")
int on_wakeup(__u64 *ctx) {
  struct task_struct *task = (void *)ctx[0];
  struct stage_thread *thread = seen_thread_of(task);
  if (thread && was_asleep(&thread->time, task))
    step(thread, TASK_BLOCKED, TASK_RUNNABLE, bpf_ktime_get_ns());
  return 0;
}

// A thread that execs gets the number of the first one, which has ended. But that one's last switch
// may come after it got the other's number in exchange, and then finds no record of it.
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, __s32 number_before) {
  (void)ctx;
  if (task->pid == number_before) return 0;
  end_threads_of(number_before, NULL);
  end_threads_of(task->pid, task);
  return 0;
}

static __always_inline bool is_of(struct task_struct *task, const struct stage_thread *thread) {
  struct task_struct *leader = task->group_leader;
  return number_of(BPF_CORE_READ(leader, thread_pid), our_level()) == thread->pid &&
         leader->start_boottime / ns_per_tick == thread->start_ticks;
}

// Nobody else writes here until the address is known.
static __always_inline void begin(struct stage_thread *thread, struct task_struct *task, __u32 at) {
  __u16 *bucket = bucket_of(task);
  thread->time.since_ns = bpf_ktime_get_ns();
  thread->time.state = TASK_UNKNOWN;
  thread->number = task->pid;
  thread->next = *bucket;
  __sync_lock_test_and_set(&thread->task, (__u64)task);  // not before the rest
  *bucket = at + 1;
}

// A thread that execs gets the number of the first one, which has ended. Its bucket is the same.
static __always_inline void take_over(struct stage_thread *thread, struct task_struct *task) {
  thread->time.since_ns = bpf_ktime_get_ns();
  thread->time.seen_ns = 0;
  thread->time.state = TASK_UNKNOWN;
  __sync_lock_test_and_set(&thread->task, (__u64)task);  // not before the rest
}

// What it does, unless an event has shown it.
static __always_inline void look_at_task(struct stage_thread *thread, struct task_struct *task) {
  const __u32 state = task->__state, on_cpu = task->on_cpu;
  if (state & TASK_DEAD) {
    thread->time.state = TASK_NOBODY;
    return;
  }
  thread->time.seen = seen_state(state, on_cpu);
  if (thread->time.seen == TASK_BLOCKED) {
    const struct stage_sleep sleep = sleep_of(task, state);
    thread->seen_wait = sleep.wait == STAGE_RESTART ? STAGE_SLEEP : sleep.wait;
    thread->seen_key = sleep.key;
  }
  __sync_lock_test_and_set(&thread->time.seen_ns, bpf_ktime_get_ns());  // not before the rest
}

SEC("iter/task")
int inspect(struct bpf_iter__task *ctx) {
  struct task_struct *task = ctx->task;
  if (!task) return 0;
  const __u32 tid = number_of(BPF_CORE_READ(task, thread_pid), our_level());
  const __u32 *at = bpf_map_lookup_elem(&wanted_threads, &tid);
  struct stage_thread *thread = at ? bpf_map_lookup_elem(&threads, at) : NULL;
  if (!thread || !reader_may_see(task)) return 0;
  if (!thread->task && is_of(task, thread))
    begin(thread, task, *at);
  else if (thread->task != (__u64)task && thread->time.state == TASK_NOBODY && is_of(task, thread))
    take_over(thread, task);
  if (thread->task == (__u64)task && thread->time.state == TASK_UNKNOWN) look_at_task(thread, task);
  return 0;
}
