/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What stages.bpf.c, pipe_samples.bpf.c and end_bytes.bpf.c pass to user space. */
#pragma once

#include <linux/types.h>

#include "task_time.h"

enum {
  STAGE_THREADS = 4096,
  STAGE_PIPES = 256,
  STAGE_ENDS = 4096,
  STAGE_PROCESSES = 4096, /* whose bytes are counted */
  STAGE_CALLS = 512,      /* numbers of system calls */
  STAGE_PLACES = 8,       /* pipes and descriptors that are remembered for a thread; a power of 2 */
  STAGE_BUCKETS = 8192,   /* a power of 2 */
  STAGE_CHAIN = 8,        /* threads in a bucket, more than there ever are */
  STAGE_SHARE_BITS = 16,  /* of a full ring */
};

/*
 * What a thread waits for, up to STAGE_OTHER with the numbers of WaitsFor in user space; and system
 * calls, by what they wait for.
 */
enum stage_wait {
  STAGE_AWAKE,
  STAGE_PIPE_READ, /* of a watched pipe; with its number */
  STAGE_PIPE_WRITE,
  STAGE_POLL,
  STAGE_DISK, /* uninterruptible */
  STAGE_NETWORK,
  STAGE_TERMINAL, /* that it is one is known in user space only */
  STAGE_SLEEP,
  STAGE_LOCK,
  STAGE_CHILD,
  STAGE_SIGNAL,
  STAGE_STOPPED,
  STAGE_OTHER,
  STAGE_FD_READ, /* of something else than a watched pipe; with the descriptor */
  STAGE_FD_WRITE,
  STAGE_WAITS,
  /* Calls that move data, by where their descriptors are. */
  STAGE_READ = STAGE_WAITS,
  STAGE_WRITE,
  STAGE_SPLICE,   /* from the first argument to the third */
  STAGE_TEE,      /* from the first to the second, which alone moves on */
  STAGE_SENDFILE, /* from the second to the first */
  STAGE_VMSPLICE, /* to or from the first: as it was opened */
  STAGE_RESTART,  /* goes on with the sleep that a stop has interrupted */
  STAGE_FCNTL,    /* for a lock, by the command in the second argument; in user space only */
};

/* A kind of wait in the upper half, the pipe's number or the descriptor in the lower; 0: none. */
struct stage_place {
  __u64 key;
  __u64 ns; /* of completed sleeps */
};

/* A thread that is watched. Only user space writes what it asks the iterator to find. */
struct stage_thread {
  struct task_time time;
  __u64 key;        /* of the current sleep, as in stage_place */
  __u64 key_before; /* of the last sleep that was no stop */
  __u32 wait, wait_before;
  __u64 wait_ns[STAGE_WAITS];              /* cumulative, of completed sleeps */
  struct stage_place places[STAGE_PLACES]; /* parts of wait_ns; any may give way */

  __u64 seen_key; /* if the iterator found it blocked */
  __u32 seen_wait;

  __u32 reserved;
  __u32 tid, pid; /* to find, in our pid namespace */
  __u64 start_ticks;
  __u64 task;   /* what was found: the kernel's address; 0: not found */
  __u32 number; /* in the initial namespace */
  __u16 next;   /* place + 1 of the next in its bucket */
} __attribute__((aligned(64)));

/* What identifies a pipe to user space. */
struct stage_inode {
  __u64 number;
  __u32 device; /* as stat shows it, but on btrfs, where that is another one */
  __u32 reserved;
};

/* A pipe that is watched. */
struct stage_ring {
  __u64 inode;  /* addresses; 0 until the iterator has found it */
  __u64 pipe;   /* 0, too, when it has gone */
  __u64 number; /* its inode's */
  __u32 device; /* as in stage_inode */
  __u32 id;     /* not given again for a long time; modulo STAGE_PIPES: its place; 0: free */
};

/* Cumulative, by one CPU. */
struct stage_tally {
  __u64 samples, empty, full;
  __u64 used; /* summed shares of its slots, in units of 2^-STAGE_SHARE_BITS */
};

/* What identifies a process to user space. */
struct stage_process {
  __u64 start_ns; /* since boot */
  __u32 pid;      /* in our pid namespace */
  __u32 reserved;
};

struct stage_end {
  struct stage_process process;
  __u64 inode;  /* its number */
  __u32 device; /* major << 20 | minor */
  __s32 fd;
  __u32 writing;
  __u32 reserved;
};

struct stage_bytes {
  __u64 bytes, calls;
};
