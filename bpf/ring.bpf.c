// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Describes every slot of one pipe, from a copy of the pipe's buffers. Each read
// of the iterator takes one snapshot; it only walks the files of one process, which
// holds the pipe: our own, or another one's. The copy should come from a tick of the
// sampler: to run this iterator, our process may have displaced the pipe's writer or
// reader, and by now the other one has drained or filled the ring.

#include "ring.h"

#include "access.bpf.h"
#include "ring_copy.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define HUGE_ORDER 9  // 2 MiB; smaller folios do not shorten the page walk

// Set by user space before each pass: the pipe, and its descriptor in the process.
volatile __u64 pipe_ino;
volatile __u32 pipe_fd;

volatile __u32 copier = RING_BY_ITERATOR;  // which copy to describe; set by user space

// Addresses of the kernel's functions, 0 if it has none; set by user space.
volatile __u64 stealers[RING_STEALERS];

MAPPED_ARRAY(snapshots, 1, struct ring_snapshot);

// A range of pages that are known to be in one folio and need no lookup.
struct folio_span {
  __u64 begin, end;
  bool huge;
};

#define FIELD(raw, type, field) \
  (*(type *)((void *)(raw) + bpf_core_field_offset(struct pipe_buffer, field)))

struct walk {
  const struct ring_copy *copy;
  struct ring_snapshot *snapshot;
  __u64 last_page;
  __u64 last_ops;
  struct folio_span span;
  __u8 last_kind;
};

static __always_inline __u8 kind_of(__u64 ops) {
  __u64 steal = 0;
  if (!ops) return RING_EMPTY;  // released, but the tail has not moved yet
  bpf_core_read(&steal, sizeof(steal), &((struct pipe_buf_operations *)ops)->try_steal);
  if (!steal) return RING_OTHER;
  if (steal == stealers[RING_STEAL_USER_PAGE]) return RING_USER_PAGE;
  if (steal == stealers[RING_STEAL_ANON]) return RING_COPY;
  if (steal == stealers[RING_STEAL_PAGE_CACHE]) return RING_PAGE_CACHE;
  if (steal == stealers[RING_STEAL_ZERO_PAGE]) return RING_ZERO_PAGE;
  if (steal == stealers[RING_STEAL_GENERIC]) return RING_COPY;
  return RING_OTHER;
}

static __always_inline __u64 folio_head(__u64 page) {
  __u64 info;
  if (bpf_core_field_exists(struct page, compound_head)) {
    info = BPF_CORE_READ((struct page *)page, compound_head);
  } else if (bpf_core_field_exists(struct page___info, compound_info)) {
    info = BPF_CORE_READ((struct page___info *)page, compound_info);
    // Since 7.0 it can also be a mask for the page's address.
    if ((info & 1) && info >> 32 == 0xffffffff) return page & (info - 1);
  } else {
    return page;
  }
  return info & 1 ? info - 1 : page;
}

static __always_inline __u32 folio_order(__u64 head) {
  // A head is a large folio's if the next page refers to it. This does not depend on
  // the numbers of page flags.
  if (folio_head(head + bpf_core_type_size(struct page)) != head) return 0;
  if (bpf_core_field_exists(struct folio___order, _folio_order))
    return BPF_CORE_READ((struct folio___order *)head, _folio_order);
  return BPF_CORE_READ((struct folio *)head, _flags_1) & 0xff;
}

static __always_inline void find_span(struct folio_span *span, __u64 page) {
  const __u64 page_size = bpf_core_type_size(struct page);
  const __u64 head = folio_head(page);
  const __u32 order = folio_order(head) & 31;
  span->begin = head;
  span->end = head + (page_size << order);
  span->huge = order >= HUGE_ORDER;
}

static long explain_slot(__u32 i, struct walk *walk) {
  struct ring_snapshot *snapshot = walk->snapshot;
  if (i >= RING_SLOTS) return 1;
  struct ring_slot *slot = &snapshot->slot[i];
  const __u32 index = (snapshot->ring.tail + i) & (snapshot->ring.slots - 1);
  if (index >= RING_SLOTS) {  // the ring is too large to be copied whole
    slot->kind = RING_EMPTY;
    return 0;
  }
  const __u64 size = bpf_core_type_size(struct pipe_buffer);
  const __u64 offset = index * size;
  if (offset > sizeof(walk->copy->bufs) - size) return 1;
  const void *raw = (const void *)walk->copy->bufs + offset;

  const __u64 ops = FIELD(raw, __u64, ops);
  if (i == 0 || ops != walk->last_ops) walk->last_kind = kind_of(ops);
  walk->last_ops = ops;
  slot->kind = walk->last_kind;
  slot->offset = FIELD(raw, __u32, offset);
  slot->length = FIELD(raw, __u32, len);
  slot->flags = FIELD(raw, __u32, flags);

  const __u64 page = FIELD(raw, __u64, page);
  slot->consecutive = i > 0 && page == walk->last_page + bpf_core_type_size(struct page);
  walk->last_page = page;
  if (page < walk->span.begin || page >= walk->span.end) find_span(&walk->span, page);
  slot->huge = walk->span.huge;
  return 0;
}

static __always_inline void explain(const struct ring_copy *copy, struct ring_snapshot *snapshot) {
  snapshot->ring = copy->ring;
  __u32 used = snapshot->ring.head - snapshot->ring.tail;
  if (used > snapshot->ring.slots) used = snapshot->ring.slots;
  snapshot->filled = used > RING_SLOTS ? RING_SLOTS : used;
  struct walk walk = {.copy = copy, .snapshot = snapshot};
  bpf_loop(snapshot->filled, explain_slot, &walk, 0);
}

SEC("iter/task_file")
int take_snapshot(struct bpf_iter__task_file *ctx) {
  struct file *file = ctx->file;
  struct task_struct *task = ctx->task;
  if (!file || !task || ctx->fd != pipe_fd) return 0;
  struct inode *inode = BPF_CORE_READ(file, f_inode);
  if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFIFO) return 0;
  if (BPF_CORE_READ(inode, i_ino) != pipe_ino || !reader_may_see(task)) return 0;

  const __u32 zero = 0, from = copier;
  struct ring_snapshot *snapshot = bpf_map_lookup_elem(&snapshots, &zero);
  struct ring_copy *copy = bpf_map_lookup_elem(&copies, &from);
  struct pipe_inode_info *pipe = BPF_CORE_READ(inode, i_pipe);
  if (!snapshot || !copy || !pipe) return 0;
  if (from == RING_BY_ITERATOR) copy_ring(copy, pipe);
  explain(copy, snapshot);
  return 1;  // ends the walk: read() says EAGAIN
}
