/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a descriptor refers to. */
#pragma once

#include "kernel.h"

static __always_inline struct file *file_at(struct task_struct *task, __u32 fd) {
  struct fdtable *table = task->files->fdt; /* reading through a null pointer gives 0 */
  struct file *file = NULL;
  if (fd < table->max_fds) bpf_probe_read_kernel(&file, sizeof(file), table->fd + fd);
  return file;
}
