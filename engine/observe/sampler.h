// Stack samples of the watched processes and samples of the ring's ends, taken by
// bpf/sampler.bpf.c on every CPU.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/model/settings.h"
#include "engine/model/snapshot.h"
#include "engine/observe/occupancy.h"

namespace pipetop::observe {

struct StackSample {
  uint64_t at_ns = 0;
  Role role = Role::writer;
  std::span<const uint64_t> addresses;  // leaf first; empty: in user mode
};

class Sampler {
 public:
  // `copies_fd` is RingReader's, if there is one. Throws Error, "why; remedy".
  explicit Sampler(uint32_t hz, int copies_fd = -1);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  const SamplingEvent& event() const;  // what takes the stacks

  // Sets the processes of a role, at most SAMPLER_PROCESSES in total.
  void watch(Role role, std::span<const pid_t> pids);
  void watch(Role role, pid_t pid) { watch(role, std::span(&pid, pid > 0 ? 1u : 0u)); }
  void watch_pipe(uint64_t pipe_address);  // the kernel's address, from RingReader

  // The first tick of this CPU from this instant on copies the ring for
  // RingReader::snapshot_of_tick(); if its clock has stopped, that of another CPU. To
  // be called again only when the last copy was read.
  void request_copy(uint64_t from_ns, uint32_t cpu);

  // Stops and starts the ticks.
  void run(bool on);

  // How its programs count from now on; initially one record per CPU.
  void count(BpfCounters layout);

  uint32_t cpus() const;  // the most that the kernel can have

  void drain(const std::function<void(const StackSample&)>& sink);

  // Cumulative.
  uint64_t lost(Role role) const;
  // By CPU, and at the end the shared record.
  std::vector<OccupancyCounts> occupancy_by_record() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop::observe
