// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Samples which kernel function each process was running. One perf event per CPU
// runs `on_clock`; if the machine has hardware cycle counters, a second one runs
// `on_cycles`, and the stacks come from there. The clock also looks at the ring, and
// copies it when user space requests it: cycles stop on an idle CPU.

#include "sampler.h"

#include <bpf/bpf_tracing.h>
#include <linux/bpf_perf_event.h>

#include "access.bpf.h"
#include "occupancy.bpf.h"
#include "ring_copy.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

// Device and inode of our pid namespace if it is not the initial one: there the
// usual helper returns other pids than user space knows.
const volatile __u64 pid_ns_dev = 0;
const volatile __u64 pid_ns_ino = 0;
const volatile __u32 clock_takes_stacks = 1;

// Set by user space while we run.
volatile __u64 copy_wanted_ns;  // make one copy at or after this time; 0: no request
volatile __u32 copy_wanted_cpu;
volatile __u64 copy_patience_ns;  // how long to wait for that CPU

// Maps a process to its role.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, SAMPLER_PROCESSES);
  __type(key, __u32);
  __type(value, __u32);
} watched SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 256 * 1024);  // user space sizes it for the frequency
} samples SEC(".maps");

// A sample is built here: it is too large for the stack.
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct sampler_sample);
} scratch SEC(".maps");

static __always_inline __u32 current_tgid(void) {
  if (pid_ns_ino == 0) return bpf_get_current_pid_tgid() >> 32;
  struct bpf_pidns_info ns = {};
  if (bpf_get_ns_current_pid_tgid(pid_ns_dev, pid_ns_ino, &ns, sizeof(ns))) return 0;
  return ns.tgid;
}

// SAMPLER_ROLES: of none.
static __always_inline __u32 current_role(void) {
  const __u32 tgid = current_tgid();  // 0: the idle task
  const __u32 *role = tgid != 0 ? bpf_map_lookup_elem(&watched, &tgid) : NULL;
  return role && *role < SAMPLER_ROLES ? *role : SAMPLER_ROLES;
}

// A function of its own: among its branches 6.1 would lose the size of the stack.
static __noinline bool may_see_current(void) { return may_see((void *)bpf_get_current_task()); }

static __always_inline void take_stack(struct bpf_perf_event_data *ctx, struct sampler_cpu *cpu,
                                       __u32 role) {
  if (role >= SAMPLER_ROLES || !(sees_all || may_see_current())) return;
  const __u32 zero = 0;
  struct sampler_sample *sample = bpf_map_lookup_elem(&scratch, &zero);
  if (!sample) return;
  sample->at_ns = bpf_ktime_get_ns();
  sample->role = role;
  long bytes = bpf_get_stack(ctx, sample->ip, sizeof(sample->ip), 0);
  if (bytes <= 0) {
    // In user mode, or the stack could not be walked: keep only the leaf.
    sample->ip[0] = PT_REGS_IP(&ctx->regs);
    bytes = (__s64)sample->ip[0] < 0 ? 8 : 0;
  }
  sample->frames = bytes / 8;
  // No wakeup: user space drains the buffer at its own pace.
  if (bpf_ringbuf_output(&samples, sample, offsetof(struct sampler_sample, ip) + bytes,
                         BPF_RB_NO_WAKEUP))
    counter_add(&cpu->lost[role], 1);
}

static __always_inline void copy_if_wanted(const struct ring_watch *ring, __u32 cpu) {
  struct pipe_inode_info *pipe = (struct pipe_inode_info *)ring->pipe;
  const __u64 wanted_ns = copy_wanted_ns;
  const __u64 now_ns = bpf_ktime_get_ns();
  if (!pipe || wanted_ns == 0 || now_ns < wanted_ns) return;
  if (cpu != copy_wanted_cpu && now_ns < wanted_ns + copy_patience_ns) return;
  if (__sync_val_compare_and_swap(&copy_wanted_ns, wanted_ns, 0) != wanted_ns)
    return;  // another CPU was first
  const __u32 key = RING_BY_TICK;
  struct ring_copy *copy = bpf_map_lookup_elem(&copies, &key);
  if (copy) copy_ring(copy, pipe);
}

SEC("perf_event")
int on_clock(struct bpf_perf_event_data *ctx) {
  struct sampler_cpu *cpu = my_record();
  struct ring_watch *ring = ring_watched();
  if (!cpu || !ring) return 0;
  const __u32 role = current_role();
  // We have stopped one of two roles that run, and the other has gone on since.
  if (role == SAMPLER_ROLES || ring->running != OCCUPANCY_BOTH)
    add_point(ring, OCCUPANCY_TICK, bpf_ktime_get_ns());
  copy_if_wanted(ring, bpf_get_smp_processor_id());
  if (clock_takes_stacks) take_stack(ctx, cpu, role);
  return 0;
}

SEC("perf_event")
int on_cycles(struct bpf_perf_event_data *ctx) {
  struct sampler_cpu *cpu = my_record();
  if (cpu) take_stack(ctx, cpu, current_role());
  return 0;
}
