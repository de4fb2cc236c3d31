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

struct super_block {
  unsigned int s_dev; /* major << 20 | minor */
};

struct inode {
  unsigned short i_mode;
  unsigned long i_ino;
  struct super_block *i_sb;
  struct pipe_inode_info *i_pipe;
};

struct file {
  struct inode *f_inode;
  unsigned int f_flags;
  unsigned int f_mode;
};

/* A process's descriptors. */
struct fdtable {
  unsigned int max_fds;
  struct file **fd;
};

struct files_struct {
  struct fdtable *fdt;
};

struct ns_common {
  unsigned int inum;
};

struct net {
  struct ns_common ns;
};

typedef struct {
  struct net *net;
} possible_net_t;

struct in6_addr {
  __u8 bytes[16]; /* a union in the kernel */
};

struct sock_common {
  unsigned short skc_family;
  volatile unsigned char skc_state;
  __be32 skc_daddr, skc_rcv_saddr;
  __be16 skc_dport;
  __u16 skc_num; /* the local port */
  possible_net_t skc_net;
  struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

typedef struct {
  int counter;
} atomic_t;

typedef struct refcount_struct {
  atomic_t refs;
} refcount_t;

struct sk_buff_head {
  __u32 qlen;
};

struct sock {
  struct sock_common __sk_common;
  unsigned char sk_shutdown;
  __u16 sk_type, sk_protocol;
  int sk_sndbuf, sk_rcvbuf; /* bytes */
  int sk_wmem_queued;       /* TCP: bytes of memory that the send queue takes */
  refcount_t sk_wmem_alloc; /* AF_UNIX: likewise, until it is read; and 1 more */
  struct sk_buff_head sk_receive_queue;
  struct socket *sk_socket;
};

struct socket {
  struct sock *sk;
  struct file *file;
};

struct sockaddr_un {
  char sun_path[108];
};

struct unix_address {
  int len; /* of the name, with 2 bytes for its family, and the NUL behind a path */
  struct sockaddr_un name[0];
};

struct unix_sock {
  struct unix_address *addr;
  struct sock *peer; /* another unix_sock */
};

struct inet_connection_sock {
  __u8 icsk_retransmits; /* since the peer has answered last */
  __u8 icsk_probes_out;  /* of its closed window, likewise */
};

/* Sequence numbers wrap. */
struct tcp_sock {
  struct inet_connection_sock inet_conn;
  __u32 write_seq, snd_una;          /* written, acknowledged */
  __u32 rcv_nxt, copied_seq;         /* received, read */
  __u32 rcv_wup, rcv_wnd;            /* what the peer may still send: up to the sum */
  __u16 advmss;                      /* bytes of a segment of the peer's */
  __u64 bytes_acked, bytes_received; /* since it is connected */
  __u64 bytes_sent, bytes_retrans;   /* with data that is sent again, and such data */
  __u32 chrono_type : 2;             /* what sending waits for */
};

/* A process's number in one pid namespace; a pid has one for each level. */
struct upid {
  int nr;
};

struct pid {
  unsigned int level;
  struct upid numbers[1];
};

/* By read and write calls. */
struct task_io_accounting {
  __u64 rchar, wchar; /* bytes */
};

struct signal_struct {
  atomic_t live;                  /* threads that have not begun to exit */
  struct pid *pids[4];            /* by enum pid_type */
  unsigned long cmin_flt;         /* page faults of children that were waited for */
  struct task_io_accounting ioac; /* of threads that have ended, and of those children */
};

struct task_exec_state;

struct sched_entity {
  __u64 exec_start; /* by a clock of the CPU that leaves out what the host and interrupts take */
  __u64 sum_exec_runtime;
};

/* By the scheduler's clock, which is not ours. */
struct sched_info {
  unsigned long long run_delay;    /* ns waited on run queues, up to its last arrival on a CPU */
  unsigned long long last_arrival; /* on a CPU */
  unsigned long long last_queued;  /* on a run queue; 0 while it isn't waiting */
};

typedef struct {
  __u32 val; /* in the initial user namespace */
} kuid_t, kgid_t;

/* A bit each. Up to 6.2 two words, in the same order on the machines that we build for. */
typedef struct {
  __u64 val;
} kernel_cap_t;

struct user_namespace {
  struct user_namespace *parent; /* of the initial one: null */
  kuid_t owner;
};

struct cred {
  kuid_t uid, suid, euid;
  kgid_t gid, sgid, egid;
  kernel_cap_t cap_permitted;
  struct user_namespace *user_ns;
};

struct mm_struct {
  unsigned long flags;
  struct user_namespace *user_ns;
  void *in_no_kernel; /* a program that would read it is refused */
};

/* Since 6.18. */
struct mm_struct___bitmap {
  struct {
    unsigned long __mm_flags[1];
  } flags;
};

struct thread_info {
  unsigned long flags;
  __u32 status; /* x86 */
};

/* __state: renamed in 5.14. */
struct task_struct {
  struct thread_info thread_info;
  unsigned int __state;
  unsigned int flags;
  int on_cpu;
  struct sched_entity se;
  struct sched_info sched_info;
  int exit_state;
  unsigned int in_iowait : 1;
  unsigned int frozen : 1;
  unsigned int user_dumpable : 1; /* since 7.1, and its stable kernels: after the end of its mm */
  unsigned long jobctl;
  int pid, tgid; /* in the initial namespace */
  struct task_struct *real_parent;
  struct task_struct *group_leader;
  struct pid *thread_pid;
  __u64 start_boottime;
  char comm[16];
  struct files_struct *files;
  struct signal_struct *signal;
  struct task_io_accounting ioac;
  const struct cred *real_cred;
  struct mm_struct *mm;               /* null when it exits */
  struct task_exec_state *exec_state; /* since 7.2: it has what says whether mm can be dumped */
};

/*
 * Of struct pt_regs: the registers at the entry to the kernel. What is after ___ keeps it apart
 * from others of that name.
 */
struct pt_regs___entry {
#ifdef __TARGET_ARCH_arm64
  __u64 regs[31];
  __u64 orig_x0;
  __s32 syscallno;
#else
  unsigned long orig_ax, di, si, dx; /* x86 */
#endif
};

struct bpf_iter_meta {
  struct seq_file *seq;
};

struct bpf_iter__task {
  struct bpf_iter_meta *meta;
  struct task_struct *task;
};

struct bpf_iter__task_file {
  struct bpf_iter_meta *meta;
  struct task_struct *task;
  __u32 fd;
  struct file *file;
};

#pragma clang attribute pop

/* The same in every kernel. */
/* Of task_struct.__state: it will not run again. */
#define TASK_DEAD 0x80

#define S_IFMT 0170000
#define S_IFIFO 0010000
#define S_IFSOCK 0140000

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
