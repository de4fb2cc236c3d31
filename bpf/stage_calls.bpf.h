/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What system calls wait for, and between which descriptors they move data. */
#pragma once

#include "stages.h"
#include "task.bpf.h"

#define FMODE_WRITE 2

/* enum stage_wait, by number. Set by user space, because numbers differ. */
const volatile __u8 calls[STAGE_CALLS];

/* The descriptors of a call that moves data; -1: none. */
struct stage_route {
  __s32 in, out;
};

static __always_inline __u32 kind_of(const struct system_call *call) {
  const __u64 number = call->number;
  return number < STAGE_CALLS ? calls[number] : STAGE_OTHER;
}

static __always_inline bool writes(struct file *file) {
  return BPF_CORE_READ(file, f_mode) & FMODE_WRITE;
}

static __always_inline struct stage_route route_of(struct task_struct *task, __u32 kind,
                                                   const struct system_call *call) {
  const __s32 first = call->argument[0], second = call->argument[1], third = call->argument[2];
  switch (kind) {
    case STAGE_READ:
      return (struct stage_route){first, -1};
    case STAGE_WRITE:
      return (struct stage_route){-1, first};
    case STAGE_SPLICE:
      return (struct stage_route){first, third};
    case STAGE_TEE:
      return (struct stage_route){first, second};
    case STAGE_SENDFILE:
      return (struct stage_route){second, first};
    case STAGE_VMSPLICE:
      return writes(file_at(task, first)) ? (struct stage_route){-1, first}
                                          : (struct stage_route){first, -1};
    default:
      return (struct stage_route){-1, -1};
  }
}
