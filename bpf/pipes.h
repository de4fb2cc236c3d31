/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What pipes.bpf.c writes: a record for each end of a pipe or of a connected stream socket, one for
 * each thread, and one for each process that exits. */
#pragma once

#include <linux/types.h>

enum {
  PIPES_SEEN = 1 << 15,    /* pipes that are remembered, about: a power of 2 */
  PIPES_HOLDERS = 1 << 16, /* processes that hold one, likewise */
  PIPES_PAST = 16,         /* slots that tell what was put into them: a power of 2 */
  PIPES_BEGUN = 1 << 14,   /* programs that began with a pipe, and run */
  PIPES_EXITED = 1 << 12,  /* processes between two passes */
};

enum pipes_kind {
  PIPES_END,  /* a descriptor of a pipe */
  PIPES_UNIX, /* of a connected stream socket */
  PIPES_TCP,
};

/* Of a socket. */
enum pipes_socket_flag {
  PIPES_WRITABLE = 1,  /* poll(2) says that it has room */
  PIPES_FULL = 2,      /* a write waits */
  PIPES_PEER_FULL = 4, /* the peer has no room for more */
  PIPES_UNREAD = 8,    /* there is something to read */
  PIPES_CAN_READ = 16, /* not shut down */
  PIPES_CAN_WRITE = 32,
  PIPES_WINDOW_SHUT = 64, /* we have no room for what the peer would send */
  PIPES_ABSTRACT = 128,   /* AF_UNIX: its name is no path */
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

/* Of a connection's side that we see: what it sends, and what it has to read. */
struct pipes_socket {
  __u64 at_ns;          /* CLOCK_MONOTONIC */
  __u64 peer;           /* AF_UNIX: inode of the other side; 0: not accepted yet */
  __u64 sent, received; /* TCP: bytes, in its life */
  __u32 queued;         /* sent, and not acknowledged; AF_UNIX: memory that it takes until read */
  __u32 unread;         /* TCP: bytes */
  __u32 used, memory;   /* of the send buffer, bytes */
  __u32 receive_memory;
  __u32 net; /* inode of the network namespace */
  __u16 port, peer_port;
  __u8 flags;      /* enum pipes_socket_flag */
  __u8 retries;    /* that the peer has not answered */
  __u8 name_bytes; /* AF_UNIX: of all of it; 0 without a name */
  __u8 reserved;
  union {
    __u8 addresses[2][16]; /* ours, the peer's; IPv4 as ::ffff:a.b.c.d */
    char name[32];         /* its end; NUL may be anywhere in an abstract one, and ends none */
  };
};

/* A descriptor. */
struct pipes_end {
  __u64 inode;
  __u64 start_ns; /* of the process, since boot */
  __u32 device;   /* as in the kernel: major << 20 | minor */
  __u32 pid;      /* of the process, in our namespace */
  __u32 fd;
  __u32 mode;  /* 1: can read, 2: can write */
  __u32 flags; /* O_NONBLOCK and so on */
  __u32 kind;  /* enum pipes_kind */
  union {
    struct pipes_ring ring;
    struct pipes_socket socket;
  };
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

struct pipes_inode {
  __u64 number; /* 0: none */
  __u32 device; /* as in pipes_end */
  __u32 reserved;
};

/* A program with a pipe as standard input or output, when it began, and what its process had read
 * and written by then. */
struct pipes_begin {
  __u64 start_ns; /* of the process, since boot */
  struct pipes_inode in, out;
  __u64 read_bytes, written_bytes;
};

/* A process that has exited. */
struct pipes_exit {
  __u64 at_ns;                     /* CLOCK_MONOTONIC */
  __u64 start_ns;                  /* since boot */
  __u64 read_bytes, written_bytes; /* in all */
  struct pipes_begin begin;        /* zeros: it began before, or with no pipe */
  __u32 pid;                       /* in our namespace */
  __u32 reserved;
};
