/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Copies a pipe's buffers without its lock. At 60 GiB/s a page passes in 64 ns:
 * only a single read of the whole array is fast enough to be consistent. What
 * the buffers mean is worked out later, from the copy.
 */
#pragma once

#include "kernel.h"
#include "ring_copy.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, RING_COPIERS);
  __type(key, __u32);
  __type(value, struct ring_copy);
} copies SEC(".maps");

/*
 * Writers and readers hold the pipe's mutex, so usually only one end moves at a
 * time. If only the head moved, the copy is valid for the instant before that; if
 * only the tail moved, for the instant after: either way from the later tail to
 * the earlier head.
 */
static __always_inline bool try_to_copy(struct ring_copy *copy, struct pipe_inode_info *pipe) {
  const struct pipe_ends before = read_ends(pipe);
  struct pipe_buffer *bufs = BPF_CORE_READ(pipe, bufs);
  const __u32 slots = BPF_CORE_READ(pipe, ring_size);
  __u64 bytes = (__u64)slots * bpf_core_type_size(struct pipe_buffer);
  if (bytes > sizeof(copy->bufs)) bytes = sizeof(copy->bufs);
  const bool failed = bpf_probe_read_kernel(copy->bufs, bytes, bufs);
  const struct pipe_ends after = read_ends(pipe);

  copy->slots = slots;
  copy->head = before.head;
  copy->tail = after.tail;
  copy->torn = failed || (after.head != before.head && after.tail != before.tail) ||
               slots != BPF_CORE_READ(pipe, ring_size) || bufs != BPF_CORE_READ(pipe, bufs);
  if (copy->torn) copy->tail = before.tail;
  return !copy->torn;
}

static __always_inline void copy_ring(struct ring_copy *copy, struct pipe_inode_info *pipe) {
  const __u64 now_ns = bpf_ktime_get_ns();
  for (int tries = 0; tries < 3; ++tries)
    if (try_to_copy(copy, pipe)) break;
  copy->pipe = (__u64)pipe;
  copy->readers = BPF_CORE_READ(pipe, readers);
  copy->writers = BPF_CORE_READ(pipe, writers);
  /* A full barrier on every architecture, unlike a plain store. */
  __sync_lock_test_and_set(&copy->at_ns, now_ns);
}
