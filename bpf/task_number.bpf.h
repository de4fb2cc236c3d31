/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Numbers of tasks in the pid namespace of whoever reads an iterator. It only visits tasks of it.
 */
#pragma once

#include "kernel.h"

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
