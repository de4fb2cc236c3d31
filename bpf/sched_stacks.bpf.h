/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The stacks in which the roles sleep, each stored once. */
#pragma once

#include "kernel.h"
#include "sched.h"

/* A hash table per taker and role, with one writer at a time. Nothing is removed. */
MAPPED_ARRAY(stacks, SCHED_TAKERS *SCHED_ROLES *SCHED_STACKS, struct sched_stack);

/* Stacks are taken here: they are too large for our own stack. */
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, SCHED_TAKERS);
  __type(key, __u32);
  __type(value, __u64[SCHED_DEPTH]);
} scratch SEC(".maps");

static __always_inline __u64 hash_of(const __u64 *ip, __u64 frames) {
  __u64 hash = 0xcbf29ce484222325; /* FNV-1a, one word at a time */
  for (__u32 i = 0; i < SCHED_DEPTH && i < frames; ++i) {
    hash = (hash ^ ip[i]) * 0x100000001b3;
    hash ^= hash >> 32;
  }
  return hash | 1;
}

/*
 * The index of the stack that is in a taker's scratch; a new stack is added. Global,
 * so that it is verified once and not for every call.
 */
__noinline __u32 keep_stack(__u32 taker, __u32 role, __u32 frames) {
  const __u64 *ip = bpf_map_lookup_elem(&scratch, &taker);
  if (!ip) return SCHED_NOT_KEPT;
  const __u64 hash = hash_of(ip, frames);
  for (__u32 probe = 0; probe < 16; ++probe) {
    const __u32 table = taker * SCHED_ROLES + role;
    const __u32 at = table * SCHED_STACKS + ((hash >> 8) + probe) % SCHED_STACKS;
    struct sched_stack *stack = bpf_map_lookup_elem(&stacks, &at);
    if (!stack) break;
    if (stack->hash == hash) return at;
    if (stack->hash) continue;
    __builtin_memcpy(stack->ip, ip, sizeof(stack->ip));
    stack->frames = frames;
    stack->hash = hash;
    return at;
  }
  return SCHED_NOT_KEPT;
}

/*
 * Of the task that is switching away. One function for this and the next would not load on 6.1: its
 * verifier does not know that a task is never null, and follows the path without one.
 */
static __always_inline __u32 stack_of_current(void *ctx, __u32 role) {
  const __u32 taker = SCHED_BY_EVENT;
  __u64 *ip = bpf_map_lookup_elem(&scratch, &taker);
  if (!ip) return SCHED_NOT_KEPT;
  const long bytes = bpf_get_stack(ctx, ip, SCHED_DEPTH * 8, 0);
  return bytes > 0 ? keep_stack(taker, role, bytes / 8) : SCHED_NOT_KEPT;
}

static __always_inline __u32 stack_of_sleeper(struct task_struct *task, __u32 taker, __u32 role) {
  __u64 *ip = bpf_map_lookup_elem(&scratch, &taker);
  if (!ip) return SCHED_NOT_KEPT;
  const long bytes = bpf_get_task_stack(task, ip, SCHED_DEPTH * 8, 0);
  return bytes > 0 ? keep_stack(taker, role, bytes / 8) : SCHED_NOT_KEPT;
}
