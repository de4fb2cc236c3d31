// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Finds other people's pipes, and samples how full they are: at each tick of a clock on each CPU.

#include "access.bpf.h"
#include "kernel.h"
#include "stage_pipes.bpf.h"
#include "stages.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

volatile __u32 pipe_count;  // places in use, with gaps; set by user space

// The ids of the pipes to find.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, STAGE_PIPES);
  __type(key, struct stage_inode);
  __type(value, __u32);
} wanted_pipes SEC(".maps");

// Indexed by CPU and pipe. User space sizes it.
MAPPED_ARRAY(samples, STAGE_PIPES, struct stage_tally);

// The file system's, as stat shows it.
static __always_inline __u32 device_of(struct inode *inode) {
  const __u32 number = BPF_CORE_READ(inode, i_sb, s_dev);
  const __u32 major = number >> 20, minor = number & 0xfffff;
  return (minor & 0xff) | major << 8 | (minor & ~0xff) << 12;
}

SEC("iter/task_file")
int find_pipe(struct bpf_iter__task_file *ctx) {
  struct file *file = ctx->file;
  struct task_struct *task = ctx->task;
  if (!file || !task) return 0;
  struct inode *inode = BPF_CORE_READ(file, f_inode);
  if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFIFO) return 0;
  const struct stage_inode found = {BPF_CORE_READ(inode, i_ino), device_of(inode), 0};
  const __u32 *wanted = bpf_map_lookup_elem(&wanted_pipes, &found);
  if (!wanted || !reader_may_see(task)) return 0;
  const __u32 id = *wanted;
  struct stage_ring *ring = ring_of(id);
  if (!ring) return 0;
  const __u64 before = ring->inode, address = (__u64)inode;
  const __u32 *old = before && before != address ? bpf_map_lookup_elem(&inodes, &before) : NULL;
  if (old && *old == id) bpf_map_delete_elem(&inodes, &before);
  ring->inode = address;
  bpf_map_update_elem(&inodes, &address, &id, BPF_ANY);
  __sync_lock_test_and_set(&ring->pipe, (__u64)BPF_CORE_READ(inode, i_pipe));
  return 0;
}

// The inode is not held, but the pipe is there as long as the inode is the same and refers to one:
// the kernel takes that reference away before it frees the pipe. A FIFO that is opened anew gets
// another pipe. Reading what was freed can't fault.
static __always_inline struct pipe_inode_info *live(struct stage_ring *ring) {
  struct inode *inode = (void *)ring->inode;
  struct pipe_inode_info *pipe = NULL;
  if (!inode) return NULL;
  if (BPF_CORE_READ(inode, i_ino) == ring->number &&
      (BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFIFO)
    pipe = BPF_CORE_READ(inode, i_pipe);
  ring->pipe = (__u64)pipe;
  return pipe;
}

static long sample_ring(__u32 i, const __u32 *cpu) {
  struct stage_ring *ring = bpf_map_lookup_elem(&rings, &i);
  const __u32 at = *cpu * STAGE_PIPES + i;
  struct stage_tally *tally = bpf_map_lookup_elem(&samples, &at);
  struct pipe_inode_info *pipe = ring && tally ? live(ring) : NULL;
  if (!pipe) return 0;
  const struct pipe_fill fill = read_fill(pipe);
  const __u32 used = fill.ends.head - fill.ends.tail;
  if (fill.slots == 0 || used > fill.slots) return 0;  // in the middle of a resize
  ++tally->samples;
  if (used == 0) ++tally->empty;
  if (is_full(&fill)) ++tally->full;
  tally->used += ((__u64)used << STAGE_SHARE_BITS) / fill.slots;
  return 0;
}

SEC("perf_event")
int count_samples(void *ctx) {
  (void)ctx;
  __u32 cpu = bpf_get_smp_processor_id();
  bpf_loop(pipe_count, sample_ring, &cpu, 0);
  return 0;
}
