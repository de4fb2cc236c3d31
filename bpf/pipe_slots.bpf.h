/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The bytes in a pipe, and in the slots that were filled last. A slot that was read keeps its
 * `offset`, by which reading advanced to its end, and one that splice moved as a whole its `len`;
 * only splice to a file or a socket clears both.
 */
#pragma once

#include "kernel.h"
#include "pipes.h"
#include "ring.h"

/* The kernel's PIPE_BUF_FLAG_...: a packet, and a page to which further writes may append. */
#define SLOT_PACKET 0x08
#define SLOT_APPENDS 0x10

#define SLOT_BYTES bpf_core_type_size(struct pipe_buffer)
#define CHUNK_BYTES (PIPES_PAST * RING_BUFFER_BYTES)
#define SLOT_FIELD(raw, field) \
  (*(__u32 *)((void *)(raw) + bpf_core_field_offset(struct pipe_buffer, field)))

const volatile __u32 page_bytes = 4096;

/* Slots that are being looked at; twice, because the verifier adds the lengths of both parts. Only
 * one pass runs at a time. */
static __u64 chunk[2 * CHUNK_BYTES / sizeof(__u64)];

struct slots_walk {
  const void *bufs;
  __u32 slots;
  __u32 first, count; /* of the chunk; free-running, like head and tail */
  __u32 head, tail;
  __u32 past_slots;
  __u64 past_bytes, queued_bytes;
};

/* The ring's end may be in the middle. */
static __always_inline bool copy_chunk(const struct slots_walk *walk) {
  const __u64 size = SLOT_BYTES;
  const __u32 at = walk->first & (walk->slots - 1);
  __u32 straight = walk->slots - at;
  if (straight > walk->count) straight = walk->count;
  const __u64 bytes = straight * size, rest = (walk->count - straight) * size;
  if (bytes > CHUNK_BYTES || rest > CHUNK_BYTES) return false;
  if (bpf_probe_read_kernel(chunk, bytes, walk->bufs + at * size)) return false;
  return rest == 0 || !bpf_probe_read_kernel((void *)chunk + bytes, rest, walk->bufs);
}

static __always_inline const void *slot_of_chunk(__u32 i) {
  const __u64 size = SLOT_BYTES;
  const __u64 at = i * size;
  return at > sizeof(chunk) - size ? NULL : (void *)chunk + at;
}

/* What was put into a slot that takes no more; 0: it doesn't tell. */
static __always_inline __u32 put_into(const void *slot, bool queued, bool is_first, bool is_last) {
  const __u32 offset = SLOT_FIELD(slot, offset), length = SLOT_FIELD(slot, len);
  const __u32 flags = SLOT_FIELD(slot, flags);
  if (flags & (SLOT_PACKET | SLOT_APPENDS)) { /* begins at 0 */
    const bool may_grow = queued && is_last && (flags & SLOT_APPENDS);
    return may_grow && offset + length < page_bytes ? 0 : offset + length;
  }
  if (queued && is_first && offset) return 0; /* something of it may have been read */
  return length ? length : queued ? 0 : offset;
}

static long count_past(__u32 i, struct slots_walk *walk) {
  const void *slot = i < PIPES_PAST ? slot_of_chunk(i) : NULL;
  if (!slot || i >= walk->count) return 1;
  const __u32 at = walk->first + i;
  const bool queued = at - walk->tail < walk->head - walk->tail;
  if (queued) walk->queued_bytes += SLOT_FIELD(slot, len);
  const __u32 bytes = put_into(slot, queued, at == walk->tail, at + 1 == walk->head);
  walk->past_bytes += bytes;
  walk->past_slots += bytes != 0;
  return 0;
}

/* Further ones in the queue, a chunk at a time. */
static long count_queued(__u32 i, struct slots_walk *walk) {
  (void)i;
  const __u32 left = walk->head - walk->first;
  walk->count = left < PIPES_PAST ? left : PIPES_PAST;
  if (left == 0 || !copy_chunk(walk)) return 1;
  for (__u32 k = 0; k < PIPES_PAST && k < walk->count; ++k) {
    const void *slot = slot_of_chunk(k);
    if (slot) walk->queued_bytes += SLOT_FIELD(slot, len);
  }
  walk->first += walk->count;
  return 0;
}

/* Head, tail and the number of slots are known. Without the pipe's mutex: a slot that is read
 * meanwhile counts as much as is left of it. */
static __always_inline void look_at_slots(struct pipes_ring *ring, struct pipe_inode_info *pipe) {
  const __u32 used = ring->head - ring->tail;
  /* In the middle of a resize. */
  if (ring->slots == 0 || (ring->slots & (ring->slots - 1)) || used > ring->slots) return;
  struct slots_walk walk = {.bufs = BPF_CORE_READ(pipe, bufs),
                            .slots = ring->slots,
                            .head = ring->head,
                            .tail = ring->tail,
                            .count = ring->slots < PIPES_PAST ? ring->slots : PIPES_PAST};
  walk.first = ring->head - walk.count;
  if (copy_chunk(&walk)) bpf_loop(PIPES_PAST, count_past, &walk, 0);
  ring->past_slots = walk.past_slots;
  ring->past_bytes = walk.past_bytes;
  if (used > walk.count) {
    walk.first = ring->tail;
    walk.head = ring->head - walk.count;
    bpf_loop(used / PIPES_PAST + 1, count_queued, &walk, 0);
  }
  ring->queued_bytes = walk.queued_bytes;
}
