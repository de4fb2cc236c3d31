/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Processes that exit between two passes, with what they read and wrote in all: what a pipe carried
 * after the last pass that saw it, and what one carried that no pass saw. Of those that a pass saw
 * with a pipe, and of programs that began with one as standard input or output. Most programs close
 * these before they exit.
 */
#pragma once

#include "access.bpf.h"
#include "kernel.h"
#include "pipes.h"
#include "task.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, PIPES_BEGUN);
  __type(key, __u32); /* the process, in the initial namespace */
  __type(value, struct pipes_begin);
} begun SEC(".maps");

/* User space takes them out. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, PIPES_EXITED);
  __type(key, __u32);
  __type(value, struct pipes_exit);
} exited SEC(".maps");

__u32 viewer_level;      /* of the reader's pid namespace */
volatile __u64 unlisted; /* exits for which there was no room */

/* Without those of children that it waited for, if there are any. */
static __always_inline bool bytes_of(struct task_struct *task, bool with_ended, __u64 *read,
                                     __u64 *written) {
  if (!bpf_core_field_exists(task->ioac.rchar)) return false;
  if (BPF_CORE_READ(task, signal, cmin_flt) != 0) return false;
  *read = BPF_CORE_READ(task, ioac.rchar);
  *written = BPF_CORE_READ(task, ioac.wchar);
  if (!with_ended) return true;
  *read += BPF_CORE_READ(task, signal, ioac.rchar);
  *written += BPF_CORE_READ(task, signal, ioac.wchar);
  return true;
}

static __always_inline __u64 start_of(struct task_struct *task) {
  return BPF_CORE_READ(task, group_leader, start_boottime);
}

static __always_inline struct pipes_inode pipe_at(struct task_struct *task, __u32 fd) {
  struct pipes_inode none = {};
  struct file *file = file_at(task, fd);
  struct inode *inode = file ? BPF_CORE_READ(file, f_inode) : NULL;
  if (!inode || (BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFIFO) return none;
  return (struct pipes_inode){.number = BPF_CORE_READ(inode, i_ino),
                              .device = BPF_CORE_READ(inode, i_sb, s_dev)};
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task) {
  (void)ctx;
  struct pipes_begin begin = {
      .start_ns = start_of(task), .in = pipe_at(task, 0), .out = pipe_at(task, 1)};
  if (!begin.in.number && !begin.out.number) return 0;
  const __u32 tgid = task->tgid;
  const struct pipes_begin *first = bpf_map_lookup_elem(&begun, &tgid);
  if (first && first->start_ns == begin.start_ns) return 0; /* it was another program before */
  if (bytes_of(task, true, &begin.read_bytes, &begin.written_bytes))
    bpf_map_update_elem(&begun, &tgid, &begin, BPF_ANY);
  return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task) {
  (void)ctx;
  if (BPF_CORE_READ(task, signal, live.counter) != 0) return 0;
  const __u32 tgid = task->tgid;
  const struct pipes_begin *begin = bpf_map_lookup_elem(&begun, &tgid);
  const __u64 *holder = holder_place(task);
  struct pipes_exit exit = {.at_ns = bpf_ktime_get_ns(), .start_ns = start_of(task)};
  if (begin) {
    if (begin->start_ns == exit.start_ns) exit.begin = *begin;
    bpf_map_delete_elem(&begun, &tgid);
  } else if (!holder || *holder + SEEN_NS < pass) {
    return 0;
  }
  if (!may_see(task) || !bytes_of(task, true, &exit.read_bytes, &exit.written_bytes)) return 0;
  exit.pid = number_of(BPF_CORE_READ(task, group_leader, thread_pid), viewer_level);
  if (!exit.pid) return 0; /* outside of our namespace */
  if (bpf_map_update_elem(&exited, &tgid, &exit, BPF_ANY) != 0) __sync_fetch_and_add(&unlisted, 1);
  return 0;
}
