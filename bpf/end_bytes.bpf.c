// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Counts the bytes that processes move through pipes, from what their system calls return: those of
// the processes that user space names, and of all that they start meanwhile, which may be over
// before anybody sees them. It is a program of its own because every system call of the machine
// pays while it is attached.

#include "kernel.h"
#include "stages.h"

// These need the kernel's types.
#include <bpf/bpf_tracing.h>

#include "stage_calls.bpf.h"
#include "task.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u64 ns_per_tick = 10000000;  // of the clock of /proc; set by user space

__u32 counts_children;  // whether what user space starts itself is counted; set by it

// User space's pid namespace, and its number in the initial one: set when it searches.
__u32 level, self;

__u32 overflowed;  // a map was full: not everything was counted

// By their numbers in the initial namespace.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, STAGE_PROCESSES);
  __type(key, __u32);
  __type(value, struct stage_process);
} processes SEC(".maps");

// Processes to find, by their numbers in user space's namespace, with their start in ticks.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, STAGE_PROCESSES);
  __type(key, __u32);
  __type(value, __u64);
} wanted_processes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, STAGE_ENDS);
  __type(key, struct stage_end);
  __type(value, struct stage_bytes);
} ends SEC(".maps");

static __always_inline void count_process(struct task_struct *leader) {
  const __u32 tgid = leader->tgid;
  const struct stage_process process = {
      .start_ns = leader->start_boottime,
      .pid = number_of(BPF_CORE_READ(leader, thread_pid), level),
  };
  if (bpf_map_update_elem(&processes, &tgid, &process, BPF_ANY) != 0) overflowed = 1;
}

static __always_inline void forget_exited(struct task_struct *task) {
  const __u32 tgid = task->tgid;
  if (BPF_CORE_READ(task, signal, live.counter) == 0) bpf_map_delete_elem(&processes, &tgid);
}

SEC("iter/task")
int find_processes(struct bpf_iter__task *ctx) {
  struct task_struct *task = ctx->task;
  if (!task || task->pid != task->tgid) return 0;
  level = our_level();
  self = bpf_get_current_pid_tgid() >> 32;
  const __u32 pid = number_of(BPF_CORE_READ(task, thread_pid), level);
  const __u64 *start_ticks = bpf_map_lookup_elem(&wanted_processes, &pid);
  if (!start_ticks || *start_ticks != task->start_boottime / ns_per_tick) return 0;
  count_process(task);
  forget_exited(task);  // on_exit may have been there before
  return 0;
}

// Before it runs.
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child) {
  (void)ctx;
  const __u32 by = parent->tgid, started = child->tgid;
  if (started == by) return 0;  // a thread
  if ((counts_children && by == self) || bpf_map_lookup_elem(&processes, &by)) count_process(child);
  return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task) {
  (void)ctx;
  forget_exited(task);
  return 0;
}

// The threads of a process may share its ends.
static __always_inline void add(const struct stage_end *end, __u64 bytes) {
  const struct stage_bytes none = {};
  struct stage_bytes *count = bpf_map_lookup_elem(&ends, end);
  if (!count) {
    bpf_map_update_elem(&ends, end, &none, BPF_NOEXIST);
    count = bpf_map_lookup_elem(&ends, end);
  }
  if (!count) {
    overflowed = 1;
    return;
  }
  __sync_fetch_and_add(&count->bytes, bytes);
  __sync_fetch_and_add(&count->calls, 1);
}

static __always_inline void count(struct task_struct *task, const struct stage_process *process,
                                  __s32 fd, bool writing, __u64 bytes) {
  struct file *file = fd < 0 ? NULL : file_at(task, fd);
  if (!file) return;
  struct inode *inode = BPF_CORE_READ(file, f_inode);
  const __u32 type = BPF_CORE_READ(inode, i_mode) & S_IFMT;
  if (type != S_IFIFO && type != S_IFSOCK) return;
  const struct stage_end end = {
      .process = *process,
      .inode = BPF_CORE_READ(inode, i_ino),
      .device = BPF_CORE_READ(inode, i_sb, s_dev),
      .fd = fd,
      .writing = writing,
  };
  add(&end, bytes);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return, struct pt_regs___entry *regs, long result) {
  (void)ctx;
  if (result <= 0) return 0;
  const __u32 tgid = bpf_get_current_pid_tgid() >> 32;
  const struct stage_process *process = bpf_map_lookup_elem(&processes, &tgid);
  if (!process) return 0;
  struct task_struct *task = (void *)bpf_get_current_task_btf();
  const struct system_call call = system_call_of(task, regs);
  const __u32 kind = kind_of(&call);
  const struct stage_route route = route_of(task, kind, &call);
  if (kind != STAGE_TEE) count(task, process, route.in, false, result);  // it stays there
  count(task, process, route.out, true, result);
  return 0;
}
