// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Lists every end of a pipe and of a connected stream socket, and every thread of the processes
// that hold one. Both only read: a pipe whose end we opened or duplicated would keep others from
// end of file or SIGPIPE.
//
// A pipe's ring goes with the first of its ends in a pass, whichever that is. Of processes that our
// user may not see nothing leaves the kernel.

#include "pipes.h"

#include "access.bpf.h"
#include "kernel.h"

// These need the kernel's types.
#include <bpf/bpf_tracing.h>

#include "pipe_slots.bpf.h"
#include "task.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define CAN_READ_OR_WRITE 3

#define PIDTYPE_PGID 2
#define PIDTYPE_SID 3

#define SEEN_NS 10000000000ull /* a pipe that no pass has seen for so long has gone */

// Set by user space before each pass.
volatile __u64 pass;          // CLOCK_MONOTONIC at its begin
volatile __u32 holders_only;  // list threads of these processes only
volatile __u32 hidden;        // processes that it met and may not list; 0 by user space

// Set by user space before each read, which ends when so many descriptors were visited: else one
// read goes on for as long as strangers have descriptors that are no pipes.
volatile __u32 visits_left;

volatile __u32 knows_sockets = 1;

// What a pass has seen, and how each pipe was. By a hash, in one of two places: three that fall
// into them may be seen twice, or be taken for holders that are none, which costs a record.
struct seen_pipe {
  __u64 address;
  __u64 inode;
  __u64 pass;
  __u32 head, slots;
  __u32 past_bytes;
  __u8 past_slots;
  __u8 empty;
  __u8 moved;
  __u8 reserved;
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, PIPES_SEEN);
  __type(key, __u32);
  __type(value, struct seen_pipe);
} seen SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, PIPES_HOLDERS);
  __type(key, __u32);
  __type(value, __u64);
} holders SEC(".maps");

static __always_inline struct seen_pipe *seen_place(__u64 address) {
  const __u32 place = (address * 0x9e3779b97f4a7c15) >> 49;  // golden ratio, as in the kernel
  const __u32 other = place ^ 1;
  struct seen_pipe *found = bpf_map_lookup_elem(&seen, &place);
  const bool taken = found && found->address != address && found->pass + SEEN_NS > pass;
  return taken ? bpf_map_lookup_elem(&seen, &other) : found;
}

static __always_inline __u64 *holder_place(const struct task_struct *task) {
  const __u32 place = (__u32)task->tgid % PIPES_HOLDERS;
  return bpf_map_lookup_elem(&holders, &place);
}

#include "exits.bpf.h"

// Written again from the start of the next read if there is no space left in this one.
static __always_inline bool write(struct seq_file *to, const void *record, __u32 bytes) {
  return bpf_seq_write(to, record, bytes) == 0;
}

static __always_inline void describe(struct pipes_end *end, struct bpf_iter__task_file *ctx,
                                     struct task_struct *task, struct file *file) {
  const __u32 level = our_level();
  struct task_struct *leader = task->group_leader;
  end->pid = level ? number_of(BPF_CORE_READ(leader, thread_pid), level) : (__u32)task->tgid;
  end->start_ns = leader->start_boottime;
  end->fd = ctx->fd;
  end->mode = file->f_mode & CAN_READ_OR_WRITE;
  end->flags = file->f_flags;
}

// `last`: the same pipe before, or null. Most pipes of a machine are empty, and still are; and to
// read the clock takes as long as all the rest of them.
static __always_inline void look_at_ring(struct pipes_ring *ring, struct pipe_inode_info *pipe,
                                         const struct seen_pipe *last) {
  const struct pipe_fill fill = read_fill(pipe);
  const bool moved = last && (last->head != fill.ends.head || last->slots != fill.slots);
  const bool empty = fill.ends.head == fill.ends.tail;
  ring->slots = fill.slots;
  ring->head = fill.ends.head;
  ring->tail = fill.ends.tail;
  ring->readers = BPF_CORE_READ(pipe, readers);
  ring->writers = BPF_CORE_READ(pipe, writers);
  ring->moved = moved ? 2 : last && last->moved ? last->moved - 1 : 0;
  if (last && !moved && empty && last->empty) {
    ring->at_ns = pass;
    ring->past_slots = last->past_slots;
    ring->past_bytes = last->past_bytes;
  } else {
    ring->at_ns = bpf_ktime_get_ns();
    look_at_slots(ring, pipe);
  }
}

static __always_inline void remember(struct seen_pipe *place, const struct pipes_ring *ring) {
  place->head = ring->head;
  place->slots = ring->slots;
  place->empty = ring->head == ring->tail;
  place->moved = ring->moved;
  place->past_slots = ring->past_slots;
  place->past_bytes = ring->past_bytes;
}

static __always_inline int list_pipe(struct bpf_iter__task_file *ctx, struct task_struct *task,
                                     struct file *file, struct inode *inode) {
  struct pipe_inode_info *pipe = BPF_CORE_READ(inode, i_pipe);  // a number to the verifier
  if (!pipe || !(file->f_mode & CAN_READ_OR_WRITE)) return 0;   // O_PATH opens nothing
  struct seen_pipe *place = seen_place((__u64)pipe);
  __u64 *holder = holder_place(task);
  if (!place || !holder) return 0;

  struct pipes_end end = {.inode = inode->i_ino, .device = inode->i_sb->s_dev, .kind = PIPES_END};
  describe(&end, ctx, task, file);
  const bool known = place->address == (__u64)pipe && place->inode == end.inode;
  const bool first = !known || place->pass != pass;
  if (first) look_at_ring(&end.ring, pipe, known ? place : NULL);
  if (!write(ctx->meta->seq, &end, sizeof(end))) return 0;
  *holder = pass;
  if (!first) return 0;
  place->address = (__u64)pipe;
  place->inode = end.inode;
  place->pass = pass;
  remember(place, &end.ring);
  return 0;
}

// ---- sockets ----

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define IPPROTO_TCP 6
#define RCV_SHUTDOWN 1
#define SEND_SHUTDOWN 2
#define TCP_ESTABLISHED 1
#define TCP_FIN_WAIT1 4
#define TCP_FIN_WAIT2 5
#define TCP_CLOSE_WAIT 8
#define TCP_CHRONO_RWND_LIMITED 2

#define LONGEST_NAME 109 /* a path of all of sun_path, and a NUL */

// Not more than it is long: behind it is what others have left in the kernel's memory.
static __always_inline void put_name(struct pipes_socket *to, struct unix_address *address) {
  if (!address) return;
  __u32 bytes = BPF_CORE_READ(address, len) - 2;
  if (bytes == 0 || bytes > LONGEST_NAME) return;
  const char *name = &address->name[0].sun_path[0];
  char first = 0;
  bpf_probe_read_kernel(&first, sizeof(first), name);
  if (first)
    --bytes;
  else
    to->flags |= PIPES_ABSTRACT;
  to->name_bytes = bytes;
  if (bytes <= sizeof(to->name)) {
    bpf_probe_read_kernel(to->name, bytes, name);
  } else {
    name += bytes - sizeof(to->name);
    bpf_probe_read_kernel(to->name, sizeof(to->name), name);
  }
}

// False: it isn't connected.
static __always_inline bool look_at_unix(struct pipes_socket *to, struct sock *sock) {
  struct unix_sock *this = bpf_skc_to_unix_sock(sock);
  struct sock *peer = this ? this->peer : NULL;
  if (!peer) return false;
  struct socket *socket = peer->sk_socket;
  struct file *file = socket ? socket->file : NULL;
  to->peer = file ? file->f_inode->i_ino : 0;
  to->used = sock->sk_wmem_alloc.refs.counter - 1;
  to->queued = to->used;
  if (to->used * 4 <= to->memory) to->flags |= PIPES_WRITABLE;
  if (to->used >= to->memory) to->flags |= PIPES_FULL;
  if (sock->sk_receive_queue.qlen) to->flags |= PIPES_UNREAD;
  struct unix_address *address = BPF_CORE_READ(this, addr);
  put_name(to, address ? address : BPF_CORE_READ((struct unix_sock *)peer, addr));
  return true;
}

static __always_inline void put_ipv4(__u8 address[16], __be32 number) {
  address[10] = address[11] = 0xff;
  __builtin_memcpy(&address[12], &number, sizeof(number));
}

// A writer that found no room waits until a third of the buffer is free: so the kernel decides it.
static __always_inline bool look_at_tcp(struct pipes_socket *to, struct sock *sock) {
  struct tcp_sock *tcp = bpf_skc_to_tcp_sock(sock);
  if (!tcp) return false;
  // Of those that are acknowledged one is the opener's SYN, and one a FIN.
  const __u64 new_bytes = tcp->bytes_sent - tcp->bytes_retrans;
  to->sent = tcp->bytes_acked < new_bytes ? tcp->bytes_acked : new_bytes;
  to->received = tcp->bytes_received;
  to->queued = tcp->write_seq - tcp->snd_una;
  to->unread = tcp->rcv_nxt - tcp->copied_seq;
  to->used = sock->sk_wmem_queued;
  if (to->used < to->memory && (to->memory - to->used) * 2 >= to->used) to->flags |= PIPES_WRITABLE;
  if (to->used >= to->memory) to->flags |= PIPES_FULL;
  if (to->unread && to->unread < 1u << 31) to->flags |= PIPES_UNREAD;
  if (BPF_CORE_READ_BITFIELD(tcp, chrono_type) == TCP_CHRONO_RWND_LIMITED)
    to->flags |= PIPES_PEER_FULL;
  if ((__s32)(tcp->rcv_wup + tcp->rcv_wnd - tcp->rcv_nxt) < tcp->advmss)
    to->flags |= PIPES_WINDOW_SHUT;
  const __u8 sent_again = tcp->inet_conn.icsk_retransmits, probes = tcp->inet_conn.icsk_probes_out;
  to->retries = sent_again > probes ? sent_again : probes;

  to->net = sock->__sk_common.skc_net.net->ns.inum;
  to->port = sock->__sk_common.skc_num;
  to->peer_port = __builtin_bswap16(sock->__sk_common.skc_dport);
  if (sock->__sk_common.skc_family == AF_INET) {
    put_ipv4(to->addresses[0], sock->__sk_common.skc_rcv_saddr);
    put_ipv4(to->addresses[1], sock->__sk_common.skc_daddr);
  } else {
    bpf_probe_read_kernel(to->addresses[0], 16, &sock->__sk_common.skc_v6_rcv_saddr);
    bpf_probe_read_kernel(to->addresses[1], 16, &sock->__sk_common.skc_v6_daddr);
  }
  return true;
}

static __always_inline bool carries_data(__u8 state) {
  return state == TCP_ESTABLISHED || state == TCP_FIN_WAIT1 || state == TCP_FIN_WAIT2 ||
         state == TCP_CLOSE_WAIT;
}

// Connected streams are used like pipes.
static __always_inline int list_socket(struct bpf_iter__task_file *ctx, struct task_struct *task,
                                       struct file *file) {
  if (!bpf_core_type_exists(struct unix_sock)) {
    knows_sockets = 0;
    return 0;
  }
  struct socket *socket = bpf_sock_from_file(file);
  struct sock *sock = socket ? socket->sk : NULL;
  if (!sock || sock->sk_type != SOCK_STREAM || !carries_data(sock->__sk_common.skc_state)) return 0;
  const __u16 family = sock->__sk_common.skc_family;
  const bool is_tcp = (family == AF_INET || family == AF_INET6) && sock->sk_protocol == IPPROTO_TCP;
  const __u8 shut = sock->sk_shutdown;
  __u64 *holder = holder_place(task);
  if (!holder || (!is_tcp && family != AF_UNIX) || shut == (RCV_SHUTDOWN | SEND_SHUTDOWN)) return 0;

  struct pipes_end end = {.inode = file->f_inode->i_ino,
                          .device = file->f_inode->i_sb->s_dev,
                          .kind = is_tcp ? PIPES_TCP : PIPES_UNIX};
  describe(&end, ctx, task, file);
  end.socket.at_ns = bpf_ktime_get_ns();
  end.socket.memory = sock->sk_sndbuf;
  end.socket.receive_memory = sock->sk_rcvbuf;
  if (!(shut & RCV_SHUTDOWN)) end.socket.flags |= PIPES_CAN_READ;
  if (!(shut & SEND_SHUTDOWN)) end.socket.flags |= PIPES_CAN_WRITE;
  const bool connected = is_tcp ? look_at_tcp(&end.socket, sock) : look_at_unix(&end.socket, sock);
  if (connected && write(ctx->meta->seq, &end, sizeof(end))) *holder = pass;
  return 0;
}

SEC("iter/task_file")
int list_ends(struct bpf_iter__task_file *ctx) {
  struct file *file = ctx->file;
  struct task_struct *task = ctx->task;
  if (!file || !task) return 0;
  if (visits_left == 0) return 1;  // this one again, at the next read
  --visits_left;
  struct inode *inode = file->f_inode;
  const __u32 type = inode->i_mode & S_IFMT;
  if ((type != S_IFIFO && type != S_IFSOCK) || !reader_may_see(task)) return 0;
  if (type == S_IFIFO) return list_pipe(ctx, task, file, inode);
  return list_socket(ctx, task, file);
}

SEC("iter/task")
int list_tasks(struct bpf_iter__task *ctx) {
  struct task_struct *task = ctx->task;
  if (!task) return 0;
  if (!reader_may_see(task)) {
    const bool is_process = task->pid == task->tgid && !(task->flags & PF_KTHREAD);
    if (is_process && !task->exit_state) ++hidden;
    return 0;
  }
  const __u64 *holder = holder_place(task);
  if (!holder || (holders_only && *holder < pass)) return 0;  // a later one has seen it, too

  const __u32 level = viewer_level = our_level();
  struct task_struct *leader = task->group_leader;
  struct pipes_task record = {
      .at_ns = bpf_ktime_get_ns(),
      .start_ns = leader->start_boottime,
      .cpu_ns = task->se.sum_exec_runtime,
      .pid = number_of(BPF_CORE_READ(leader, thread_pid), level),
      .tid = number_of(BPF_CORE_READ(task, thread_pid), level),
      .parent = number_of(BPF_CORE_READ(leader, real_parent, group_leader, thread_pid), level),
      .group = number_of(BPF_CORE_READ(task, signal, pids[PIDTYPE_PGID]), level),
      .session = number_of(BPF_CORE_READ(task, signal, pids[PIDTYPE_SID]), level),
      .state = task->__state | task->exit_state,
      .on_cpu = task->on_cpu != 0,
      .io_wait = BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait),
  };
  if (bpf_core_field_exists(task->frozen))  // not without control groups
    record.frozen = BPF_CORE_READ_BITFIELD_PROBED(task, frozen);
  record.counts_bytes = bytes_of(task, task == leader, &record.read_bytes, &record.written_bytes);
  bpf_probe_read_kernel(record.comm, sizeof(record.comm), task->comm);
  const struct system_call call = system_call_of(task, (void *)bpf_task_pt_regs(task));
  record.call = call.number;
  __builtin_memcpy(record.argument, call.argument, sizeof(record.argument));
  write(ctx->meta->seq, &record, sizeof(record));
  return 0;
}
