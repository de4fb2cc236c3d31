// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Lists every end of a pipe, and every thread of the processes that hold one. Both
// only read: a pipe whose end we opened or duplicated would keep others from
// end of file or SIGPIPE.
//
// A pipe's ring goes with the first of its ends in a pass, whichever that is. Of processes that our
// user may not see nothing leaves the kernel.

#include "pipes.h"

#include "access.bpf.h"
#include "kernel.h"
#include "pipe_slots.bpf.h"
#include "task.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define AF_UNIX 1
#define SHUT_DOWN 3  // both ways
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

// Connected pairs without names, as by socketpair(2): shells and others use them like pipes.
static __always_inline int list_socketpair(struct bpf_iter__task_file *ctx,
                                           struct task_struct *task, struct file *file) {
  if (!bpf_core_type_exists(struct unix_sock)) {
    knows_sockets = 0;
    return 0;
  }
  struct socket *socket = bpf_sock_from_file(file);
  if (!socket) return 0;
  struct sock *sock = BPF_CORE_READ(socket, sk);
  if (!sock || BPF_CORE_READ(sock, __sk_common.skc_family) != AF_UNIX) return 0;
  if (BPF_CORE_READ(sock, sk_shutdown) == SHUT_DOWN) return 0;  // the other end is closed
  struct unix_sock *this = (struct unix_sock *)sock;
  struct unix_sock *peer = (struct unix_sock *)BPF_CORE_READ(this, peer);
  if (!peer || BPF_CORE_READ(this, addr) || BPF_CORE_READ(peer, addr)) return 0;

  const __u64 pair = this < peer ? (__u64)this : (__u64)peer;
  struct seen_pipe *place = seen_place(pair);
  if (!place || (place->address == pair && place->pass == pass)) return 0;
  struct pipes_end end = {.inode = pair, .kind = PIPES_SOCKETPAIR};
  describe(&end, ctx, task, file);
  if (!write(ctx->meta->seq, &end, sizeof(end))) return 0;
  place->address = pair;
  place->pass = pass;
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
  return list_socketpair(ctx, task, file);
}

/* Not of who has waited for children: the bytes of all that these moved count as its own. */
static __always_inline void put_bytes(struct pipes_task *record, struct task_struct *task,
                                      struct task_struct *leader) {
  if (BPF_CORE_READ(task, signal, cmin_flt) != 0) return;
  record->read_bytes = BPF_CORE_READ(task, ioac.rchar);
  record->written_bytes = BPF_CORE_READ(task, ioac.wchar);
  record->counts_bytes = 1;
  if (task != leader) return;
  record->read_bytes += BPF_CORE_READ(task, signal, ioac.rchar);
  record->written_bytes += BPF_CORE_READ(task, signal, ioac.wchar);
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

  const __u32 level = our_level();
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
  if (bpf_core_field_exists(task->ioac.rchar)) put_bytes(&record, task, leader);
  bpf_probe_read_kernel(record.comm, sizeof(record.comm), task->comm);
  const struct system_call call = system_call_of(task, (void *)bpf_task_pt_regs(task));
  record.call = call.number;
  __builtin_memcpy(record.argument, call.argument, sizeof(record.argument));
  write(ctx->meta->seq, &record, sizeof(record));
  return 0;
}
