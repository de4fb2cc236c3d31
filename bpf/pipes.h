/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What pipes.bpf.c writes: a record for each end of a pipe, and one for each thread. */
#pragma once

#include <linux/types.h>

enum {
  PIPES_SEEN = 1 << 15,    /* pipes that are remembered, about: a power of 2 */
  PIPES_HOLDERS = 1 << 16, /* processes that hold one, likewise */
  PIPES_PAST = 16,         /* slots that tell what was put into them: a power of 2 */
};

enum pipes_kind {
  PIPES_END,        /* a descriptor of a pipe */
  PIPES_SOCKETPAIR, /* a descriptor of one of two nameless AF_UNIX sockets */
};

struct pipes_ring {
  __u64 at_ns; /* CLOCK_MONOTONIC; 0: another record has the ring */
  __u64 queued_bytes;
  __u64 past_bytes; /* put into `past_slots` of the last slots; fits 32 bits */
  __u32 past_slots;
  __u32 slots;
  __u32 head, tail;
  __u32 readers, writers; /* open files */
  __u32 moved;            /* the head: 2: since the last pass, 1: since the one before */
  __u32 reserved;
};

/* A descriptor. */
struct pipes_end {
  __u64 inode;    /* of a pair: an address that both ends have in common */
  __u64 start_ns; /* of the process, since boot */
  __u32 device;   /* as in the kernel: major << 20 | minor */
  __u32 pid;      /* of the process, in our namespace */
  __u32 fd;
  __u32 mode;  /* 1: can read, 2: can write */
  __u32 flags; /* O_NONBLOCK and so on */
  __u32 kind;  /* enum pipes_kind */
  struct pipes_ring ring;
};

/* A thread. Its process, parent and so on are numbers in our namespace; 0: outside of it. */
struct pipes_task {
  __u64 at_ns;    /* CLOCK_MONOTONIC */
  __u64 start_ns; /* of the process, since boot */
  __u64 cpu_ns;
  __u64 read_bytes,
      written_bytes; /* by such calls; with the first thread also those of ended ones */
  __u64 argument[3]; /* of the system call that it is in */
  __s64 call;        /* its number; -1: in none, or in one of another ABI */
  __u32 pid, tid, parent, group, session;
  __u32 state; /* TASK_..., EXIT_... */
  __u8 on_cpu;
  __u8 io_wait;      /* asleep until a device is done */
  __u8 frozen;       /* by its control group */
  __u8 counts_bytes; /* what it has read and written is known */
  __u8 reserved[4];
  char comm[16];
};
