/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Of a task: its numbers, its descriptors, and the system call that it is in. */
#pragma once

#include "kernel.h"

/* Threads without registers of a user's. */
#define PF_IO_WORKER 0x00000010
#define PF_KTHREAD 0x00200000

/* In the pid namespace of whoever reads an iterator. It only visits tasks of it. */
static __always_inline __u32 our_level(void) {
  return bpf_get_current_task_btf()->thread_pid->level;
}

static __always_inline __u32 number_of(struct pid *pid, __u32 level) {
  __u32 number = 0;
  if (!pid || level > BPF_CORE_READ(pid, level)) return 0;
  const void *numbers = (void *)pid + bpf_core_field_offset(struct pid, numbers);
  const __u64 at = (__u64)level * bpf_core_type_size(struct upid);
  bpf_probe_read_kernel(&number, sizeof(number),
                        numbers + at + bpf_core_field_offset(struct upid, nr));
  return number;
}

static __always_inline struct file *file_at(struct task_struct *task, __u32 fd) {
  struct fdtable *table = task->files->fdt; /* reading through a null pointer gives 0 */
  struct file *file = NULL;
  if (fd < table->max_fds) bpf_probe_read_kernel(&file, sizeof(file), table->fd + fd);
  return file;
}

/* The system call that a thread is in. */
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
