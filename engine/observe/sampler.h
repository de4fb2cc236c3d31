// Stack samples of the watched processes, taken by bpf/sampler.bpf.c on every CPU, and
// how full the ring is, which the scheduler's programs count, too.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "engine/base/reading.h"
#include "engine/model/settings.h"
#include "engine/observe/call_trees.h"
#include "engine/observe/occupancy.h"
#include "engine/observe/perf_events.h"

namespace pipetop::observe {

// Maps that several objects count in; borrowed.
struct OccupancyMaps {
  int cpus_fd = -1, watches_fd = -1;
};

// Processes that we have started, or such as our user may not see: of these nothing is told.
enum class Whose { ours, anyones };

class Sampler {
 public:
  virtual ~Sampler() = default;

  virtual const std::string& clock() const = 0;  // that takes the stacks: "cycles" or "cpu-clock"

  // How often it ticks from now on, at most as it was made for; and the time that each tick stands
  // for, by which the ring's are weighted. Initially that of the rate.
  virtual void set_rate(TickRate rate, uint64_t tick_ns) = 0;

  // Sets the processes of a role, at most SAMPLER_PROCESSES in total.
  virtual void watch(Role role, std::span<const pid_t> pids) = 0;
  void watch(Role role, pid_t pid) { watch(role, std::span(&pid, pid > 0 ? 1u : 0u)); }
  virtual void watch_pipe(uint64_t pipe_address) = 0;  // the kernel's address, from RingReader
  virtual OccupancyMaps occupancy_maps() const = 0;    // for the scheduler's programs

  // The first tick of this CPU from this instant on copies the ring for
  // RingReader::snapshot_of_tick(); if its clock has stopped, that of another CPU. To
  // be called again only when the last copy was read.
  virtual void request_copy(uint64_t from_ns, uint32_t cpu) = 0;

  // Stops and starts the ticks.
  virtual void run(bool on) = 0;

  // How its programs count from now on; initially one record per CPU.
  virtual void count(BpfCounters layout) = 0;

  virtual uint32_t cpus() const = 0;  // the most that the kernel can have

  virtual void drain(const std::function<void(const StackSample&)>& sink) = 0;

  // Cumulative.
  virtual uint64_t lost(Role role) const = 0;
  // Up to `now_ns`, of CLOCK_MONOTONIC.
  virtual OccupancyCounts occupancy(uint64_t now_ns) const = 0;
};

// `copies_fd` is RingReader's, if there is one. Throws Error, "why; remedy".
std::unique_ptr<Sampler> make_sampler(uint32_t hz, int copies_fd = -1, Whose whose = Whose::ours);

// The cost of the sampler's counters, measured with bpf/counter_cost.bpf.c.
struct CounterCost {
  std::map<size_t, double> ns_by_cpus;  // per add, with so many CPUs counting at once
  uint64_t bytes = 0;                   // of kernel memory, for the sampler's counters
};

// For 1, 2 and all CPUs that this process may use; takes about 25 ms. Never throws.
Reading<CounterCost> measure_counter_cost(BpfCounters layout);

}  // namespace pipetop::observe
