/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The pipes that are watched, and which of them a descriptor refers to. */
#pragma once

#include "kernel.h"
#include "stages.h"
#include "task.bpf.h"

/* Address of a pipe's inode to its id. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 2 * STAGE_PIPES); /* one that was opened again has two for a moment */
  __type(key, __u64);
  __type(value, __u32);
} inodes SEC(".maps");

MAPPED_ARRAY(rings, STAGE_PIPES, struct stage_ring);

static __always_inline struct stage_ring *ring_of(__u32 id) {
  const __u32 at = id % STAGE_PIPES;
  struct stage_ring *ring = bpf_map_lookup_elem(&rings, &at);
  return ring && ring->id == id ? ring : NULL;
}

/* A writer would block: so the kernel decides it, too. */
static __always_inline bool is_full(const struct pipe_fill *fill) {
  return fill->ends.head - fill->ends.tail >= (fill->max_usage ? fill->max_usage : fill->slots);
}

/* What a descriptor refers to. */
struct pipe_end {
  struct pipe_inode_info *ring; /* null: to no pipe; set only if asked for */
  __u32 id;                     /* of a watched pipe, else 0 */
  bool is_pipe;
};

/*
 * By the inode and not by a list of descriptors: they change hands faster than any list. This runs
 * whenever a watched thread goes to sleep in a read, so it reads as little as it can.
 */
static __always_inline struct pipe_end end_at(struct task_struct *task, __u32 fd, bool with_ring) {
  struct pipe_end end = {};
  struct file *file = file_at(task, fd);
  if (!file) return end;
  struct inode *inode = BPF_CORE_READ(file, f_inode);
  const __u64 address = (__u64)inode;
  const __u32 *id = bpf_map_lookup_elem(&inodes, &address);
  const struct stage_ring *ring = id ? ring_of(*id) : NULL;
  /* The address may be another inode's by now. */
  if (ring && ring->number == BPF_CORE_READ(inode, i_ino)) end.id = ring->id;
  end.is_pipe = end.id || (BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFIFO;
  if (with_ring && end.is_pipe) end.ring = BPF_CORE_READ(inode, i_pipe);
  return end;
}
