/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The system call that a thread is in. */
#pragma once

#include "kernel.h"

/* Threads without registers of a user's. */
#define PF_IO_WORKER 0x00000010
#define PF_KTHREAD 0x00200000

struct system_call {
  __s64 number; /* -1: none */
  __u64 argument[3];
};

/*
 * From its registers at the entry to the kernel. Calls of 32-bit programs have other numbers, and
 * are left out. A thread that is in the kernel for another reason, such as a page fault, has the
 * number -1 in its registers.
 */
static __always_inline struct system_call system_call_of(struct task_struct *task,
                                                         struct pt_regs___entry *regs) {
  struct system_call call = {.number = -1};
  if (task->flags & (PF_KTHREAD | PF_IO_WORKER)) return call;
#if defined(__TARGET_ARCH_x86)
  if (task->thread_info.status & 2 /* TS_COMPAT */) return call;
  call.number = (__s64)regs->orig_ax;
  call.argument[0] = regs->di;
  call.argument[1] = regs->si;
  call.argument[2] = regs->dx;
#elif defined(__TARGET_ARCH_arm64)
  if (task->thread_info.flags & (1 << 22) /* TIF_32BIT */) return call;
  call.number = regs->syscallno;
  call.argument[0] = regs->orig_x0;
  call.argument[1] = regs->regs[1];
  call.argument[2] = regs->regs[2];
#else
  (void)regs;
#endif
  return call;
}
