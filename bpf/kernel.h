/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel's types, reduced to the fields that we read. Each access is
 * relocated by field name when a program is loaded, so the offsets here do not
 * matter and one object works on all kernels. A vmlinux.h would be 150,000 lines,
 * and made from a 6.19 kernel, which has head and tail in a tagged anonymous
 * union, it would lack them (systemd issue 40117).
 */
#pragma once

/* In this order: libbpf's headers expect the kernel's types. */
/* clang-format off */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
/* clang-format on */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pipe_inode_info;
struct pipe_buffer;

struct pipe_buf_operations {
  bool (*try_steal)(struct pipe_inode_info *, struct pipe_buffer *);
};

/* In a tail page: the address of the head plus 1. Renamed in 7.0, see folio_head(). */
struct page {
  unsigned long compound_head;
};

struct page___info {
  unsigned long compound_info;
};

struct folio {
  unsigned long _flags_1; /* in the first tail page */
};

/* 6.1 to 6.5; since then the order is the low byte of _flags_1. */
struct folio___order {
  unsigned char _folio_order;
};

struct pipe_buffer {
  struct page *page;
  unsigned int offset;
  unsigned int len;
  const struct pipe_buf_operations *ops;
  unsigned int flags;
};

/* head and tail: plain up to 6.13, then in an anonymous union, tagged since 6.19. */
struct pipe_inode_info {
  unsigned int head;
  unsigned int tail;
  unsigned int ring_size;
  unsigned int readers;
  unsigned int writers;
  struct pipe_buffer *bufs;
};

struct inode {
  unsigned short i_mode;
  unsigned long i_ino;
  struct pipe_inode_info *i_pipe;
};

struct file {
  struct inode *f_inode;
};

/* Renamed to __state in 5.14. */
struct task_struct {
  unsigned int __state;
  int on_cpu;
};

struct bpf_iter__task {
  struct task_struct *task;
};

struct bpf_iter__task_file {
  __u32 fd;
  struct file *file;
};

#pragma clang attribute pop

/* An array that user space maps. */
#define MAPPED_ARRAY(name, entries, record) \
  struct {                                  \
    __uint(type, BPF_MAP_TYPE_ARRAY);       \
    __uint(map_flags, BPF_F_MMAPABLE);      \
    __uint(max_entries, entries);           \
    __type(key, __u32);                     \
    __type(value, record);                  \
  } name SEC(".maps")

struct pipe_ends {
  __u32 head;
  __u32 tail;
};

/*
 * Both ends of the ring at one instant: they are adjacent in every kernel that we
 * know of, and one aligned 8-byte read cannot be torn. Taking the pipe's mutex
 * instead would disturb what we measure.
 */
static __always_inline struct pipe_ends read_ends(struct pipe_inode_info *pipe) {
  struct pipe_ends ends = {};
  if (bpf_core_field_offset(pipe->tail) == bpf_core_field_offset(pipe->head) + 4) {
    bpf_probe_read_kernel(&ends, sizeof(ends), (void *)&pipe->head);
  } else {
    ends.head = BPF_CORE_READ(pipe, head);
    ends.tail = BPF_CORE_READ(pipe, tail);
  }
  return ends;
}

struct pipe_fill {
  struct pipe_ends ends;
  __u32 max_usage;
  __u32 slots;
};

/* The ends and the ring's size, in one read where they are adjacent: this runs at every switch. */
static __always_inline struct pipe_fill read_fill(struct pipe_inode_info *pipe) {
  struct pipe_fill fill = {};
  const __u32 head = bpf_core_field_offset(pipe->head);
  if (bpf_core_field_offset(pipe->tail) == head + 4 &&
      bpf_core_field_offset(pipe->ring_size) == head + 12) {
    bpf_probe_read_kernel(&fill, sizeof(fill), (void *)&pipe->head);
  } else {
    fill.ends = read_ends(pipe);
    fill.slots = BPF_CORE_READ(pipe, ring_size);
  }
  return fill;
}
