// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Samples which kernel function each process was running, and how full the ring
// was. One perf event per CPU runs `on_clock`; if the machine has hardware cycle
// counters, a second one runs `on_cycles`, and the stacks come from there. The
// ring is always sampled by the clock: cycles stop on an idle CPU, and the
// occupancy of a pipe whose ends both sleep would be missed. For the same reason
// the clock event also copies the ring when user space requests it.

#include "sampler.h"

#include <bpf/bpf_tracing.h>
#include <linux/bpf_perf_event.h>

#include "counter.bpf.h"
#include "ring_copy.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

// Device and inode of our pid namespace if it is not the initial one: there the
// usual helper returns other pids than user space knows.
const volatile __u64 pid_ns_dev = 0;
const volatile __u64 pid_ns_ino = 0;
const volatile __u32 clock_takes_stacks = 1;
const volatile __u32 cpu_count = 1;

// Set by user space while we run.
volatile __u64 pipe_address;
volatile __u64 copy_wanted_ns;  // make one copy at or after this time; 0: no request
volatile __u32 copy_wanted_cpu;

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

// Indexed by CPU; a per-CPU array cannot be mapped. User space sizes it: one per CPU, and a shared
// one.
MAPPED_ARRAY(cpus, 2, struct sampler_cpu);

static __always_inline __u32 current_tgid(void) {
  if (pid_ns_ino == 0) return bpf_get_current_pid_tgid() >> 32;
  struct bpf_pidns_info ns = {};
  if (bpf_get_ns_current_pid_tgid(pid_ns_dev, pid_ns_ino, &ns, sizeof(ns))) return 0;
  return ns.tgid;
}

static __always_inline void take_stack(struct bpf_perf_event_data *ctx, struct sampler_cpu *cpu) {
  const __u32 tgid = current_tgid();  // 0: the idle task
  const __u32 *watched_role = tgid != 0 ? bpf_map_lookup_elem(&watched, &tgid) : NULL;
  if (!watched_role) return;
  const __u32 role = *watched_role;
  if (role >= SAMPLER_ROLES) return;

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

static __always_inline void sample_ring(struct sampler_cpu *cpu) {
  struct pipe_inode_info *pipe = (struct pipe_inode_info *)pipe_address;
  if (!pipe) return;
  const struct pipe_ends ends = read_ends(pipe);
  const __u32 slots = BPF_CORE_READ(pipe, ring_size);
  const __u32 used = ends.head - ends.tail;
  if (slots == 0 || used > slots) return;  // in the middle of a resize
  __u64 bin = used == slots ? SAMPLER_BINS - 1 : 0;
  if (used > 0 && used < slots) bin = 1 + (__u64)used * (SAMPLER_BINS - 2) / slots;
  barrier_var(bin);  // clang knows that the test is redundant; 6.1's verifier does not
  if (bin >= SAMPLER_BINS) return;
  counter_add(&cpu->used_sum, (__u64)used * SAMPLER_SHARE_ONE / slots);
  counter_add(&cpu->bins[bin], 1);
}

static __always_inline void copy_if_wanted(__u32 cpu) {
  struct pipe_inode_info *pipe = (struct pipe_inode_info *)pipe_address;
  const __u64 wanted_ns = copy_wanted_ns;
  const __u64 now_ns = bpf_ktime_get_ns();
  if (!pipe || wanted_ns == 0 || now_ns < wanted_ns) return;
  if (cpu != copy_wanted_cpu && now_ns < wanted_ns + SAMPLER_PATIENCE_NS) return;
  if (__sync_val_compare_and_swap(&copy_wanted_ns, wanted_ns, 0) != wanted_ns)
    return;  // another CPU was first
  const __u32 key = RING_BY_TICK;
  struct ring_copy *copy = bpf_map_lookup_elem(&copies, &key);
  if (copy) copy_ring(copy, pipe);
}

static __always_inline struct sampler_cpu *my_record(void) {
  const __u32 key = counter_record(cpu_count);
  return bpf_map_lookup_elem(&cpus, &key);
}

SEC("perf_event")
int on_clock(struct bpf_perf_event_data *ctx) {
  struct sampler_cpu *cpu = my_record();
  if (!cpu) return 0;
  sample_ring(cpu);
  copy_if_wanted(bpf_get_smp_processor_id());
  if (clock_takes_stacks) take_stack(ctx, cpu);
  return 0;
}

SEC("perf_event")
int on_cycles(struct bpf_perf_event_data *ctx) {
  struct sampler_cpu *cpu = my_record();
  if (cpu) take_stack(ctx, cpu);
  return 0;
}
