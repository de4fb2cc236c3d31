// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Counts the bytes that watched processes move through watched pipes, from what their system calls
// return. It is a program of its own because every system call of the machine pays while it is
// attached. Its maps are those of stages.bpf.c, but for the counts.

#include "kernel.h"
#include "stages.h"

// These need the kernel's types.
#include <bpf/bpf_tracing.h>

#include "stage_calls.bpf.h"
#include "stage_pipes.bpf.h"
#include "stage_processes.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, STAGE_ENDS);
  __type(key, struct stage_end);
  __type(value, struct stage_bytes);
} ends SEC(".maps");

// The threads of a process may share its ends.
static __always_inline void add(const struct stage_end *end, __u64 bytes) {
  const struct stage_bytes none = {};
  struct stage_bytes *count = bpf_map_lookup_elem(&ends, end);
  if (!count) {
    bpf_map_update_elem(&ends, end, &none, BPF_NOEXIST);
    count = bpf_map_lookup_elem(&ends, end);
  }
  if (!count) return;
  __sync_fetch_and_add(&count->bytes, bytes);
  __sync_fetch_and_add(&count->calls, 1);
}

static __always_inline void count(struct task_struct *task, __u32 process, __s32 fd, bool writing,
                                  __u64 bytes) {
  if (fd < 0) return;
  const struct stage_end end = {process, fd, end_at(task, fd, false).id, writing};
  if (end.pipe) add(&end, bytes);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs___entry *regs, long result) {
  (void)ctx;
  if (result <= 0) return 0;
  const __u32 tgid = bpf_get_current_pid_tgid() >> 32;
  const __u32 *process = bpf_map_lookup_elem(&processes, &tgid);
  if (!process) return 0;
  struct task_struct *task = (void *)bpf_get_current_task_btf();
  const struct system_call call = system_call_of(task, regs);
  const __u32 kind = kind_of(&call), by = *process;
  const struct stage_route route = route_of(task, kind, &call);
  if (kind != STAGE_TEE) count(task, by, route.in, false, result);  // what it copies stays there
  count(task, by, route.out, true, result);
  return 0;
}
