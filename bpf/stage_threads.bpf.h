/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The threads that are watched, and what is counted of them. */
#pragma once

#include "kernel.h"
#include "stage_wait.bpf.h"
#include "stages.h"
#include "task_time.bpf.h"

/*
 * The first watched thread of each bucket, by number: its place + 1, or 0 for none. Nearly every
 * thread of the machine falls into an empty one, and then two loads are all that its switch costs.
 * The iterator adds threads, user space takes them away.
 */
__u16 buckets[STAGE_BUCKETS];

MAPPED_ARRAY(threads, STAGE_THREADS, struct stage_thread);

/* A thread to find, by its number in our namespace, and its place. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, STAGE_THREADS);
  __type(key, __u32);
  __type(value, __u32);
} wanted_threads SEC(".maps");

static __always_inline __u16 *bucket_of(const struct task_struct *task) {
  return &buckets[(__u32)task->pid % STAGE_BUCKETS];
}

static __always_inline struct stage_thread *next_thread(__u16 next) {
  const __u32 at = next - 1;
  return next ? bpf_map_lookup_elem(&threads, &at) : NULL;
}

static __always_inline struct stage_thread *thread_of(const struct task_struct *task) {
  struct stage_thread *thread = next_thread(*bucket_of(task));
  for (__u32 i = 0; i < STAGE_CHAIN && thread; ++i) {
    if (thread->task == (__u64)task) return thread;
    thread = next_thread(thread->next);
  }
  return NULL;
}

/* Whoever had this number, but for one. */
static __always_inline void end_threads_of(__u32 number, const struct task_struct *but) {
  struct stage_thread *thread = next_thread(buckets[number % STAGE_BUCKETS]);
  for (__u32 i = 0; i < STAGE_CHAIN && thread; ++i) {
    if (thread->number == number && thread->task != (__u64)but) thread->time.state = TASK_NOBODY;
    thread = next_thread(thread->next);
  }
}

static __always_inline void add_to_place(struct stage_thread *thread, __u64 ns) {
  const __u64 key = thread->key;
  __u32 at = thread->time.sleeps; /* that gives way if all are taken */
  for (__u32 i = 0; i < STAGE_PLACES; ++i) {
    const __u64 taken = thread->places[i].key;
    if (taken && taken != key) continue;
    at = i;
    break;
  }
  struct stage_place *place = &thread->places[at % STAGE_PLACES];
  if (place->key != key) {
    place->key = key;
    place->ns = 0;
  }
  place->ns += ns;
}

static __always_inline void end_sleep(struct stage_thread *thread, __u64 ns) {
  __u64 wait = thread->wait;
  barrier_var(wait); /* what is compared is the index itself, or it has no bound for 6.1 */
  if (wait < STAGE_WAITS) thread->wait_ns[wait] += ns;
  if (wait <= STAGE_PIPE_WRITE || wait >= STAGE_FD_READ) add_to_place(thread, ns);
}

/* For when a stop has interrupted it. */
static __always_inline void remember(struct stage_thread *thread) {
  if (thread->wait == STAGE_STOPPED) return;
  thread->wait_before = thread->wait;
  thread->key_before = thread->key;
}

/* A sleep that began before we watched: what the iterator found. */
static __always_inline void recall_sleep(struct stage_thread *thread) {
  const bool seen = thread->time.seen_ns && thread->time.seen == TASK_BLOCKED;
  thread->wait = seen ? thread->seen_wait : STAGE_OTHER;
  thread->key = seen ? thread->seen_key : 0;
  remember(thread);
}

static __always_inline void turn(struct stage_thread *thread, __u32 was, __u32 to, __u64 now_ns) {
  const bool is_first = thread->time.state == TASK_UNKNOWN;
  const struct task_interval last = change_state(&thread->time, was, to, now_ns);
  if (last.state != TASK_BLOCKED) return;
  if (is_first) recall_sleep(thread);
  end_sleep(thread, last.ns);
}

static __always_inline void step(struct stage_thread *thread, __u32 was, __u32 to, __u64 now_ns) {
  step_sequence(&thread->time);
  turn(thread, was, to, now_ns);
  step_sequence(&thread->time);
}

static __always_inline void go_to_sleep(struct stage_thread *thread, struct stage_sleep sleep,
                                        __u64 now_ns) {
  if (sleep.wait == STAGE_RESTART) {
    sleep.wait = thread->wait_before ? thread->wait_before : STAGE_SLEEP;
    sleep.key = thread->key_before;
  }
  step_sequence(&thread->time);
  turn(thread, TASK_ON_CPU, TASK_BLOCKED, now_ns);
  thread->wait = sleep.wait;
  thread->key = sleep.key;
  remember(thread);
  step_sequence(&thread->time);
}
