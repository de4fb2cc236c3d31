/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Copies a pipe's buffers without its lock. At 60 GiB/s a page passes in 64 ns:
 * only a single read of the whole array is fast enough to be consistent. What
 * the buffers mean is worked out later, from the copy.
 */
#pragma once

#include "kernel.h"
#include "ring.h"

MAPPED_ARRAY(copies, RING_COPIERS, struct ring_copy);

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

  copy->ring.slots = slots;
  copy->ring.head = before.head;
  copy->ring.tail = after.tail;
  copy->ring.torn = failed || (after.head != before.head && after.tail != before.tail) ||
                    slots != BPF_CORE_READ(pipe, ring_size) || bufs != BPF_CORE_READ(pipe, bufs);
  if (copy->ring.torn) copy->ring.tail = before.tail;
  return !copy->ring.torn;
}

static __always_inline void copy_ring(struct ring_copy *copy, struct pipe_inode_info *pipe) {
  const __u64 now_ns = bpf_ktime_get_ns();
  for (int tries = 0; tries < 3; ++tries)
    if (try_to_copy(copy, pipe)) break;
  copy->ring.pipe = (__u64)pipe;
  copy->ring.readers = BPF_CORE_READ(pipe, readers);
  copy->ring.writers = BPF_CORE_READ(pipe, writers);
  /* A full barrier on every architecture, unlike a plain store. */
  __sync_lock_test_and_set(&copy->ring.at_ns, now_ns);
}
