// Workers that insert tc rules, each in its own network namespace, with per-CPU counters or a
// shared one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/model/control_block.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "engine/workload/percpu/memory_probe.h"
#include "engine/workload/workload.h"

namespace pipetop {

namespace percpu {

// The parallel time of several processes, derived from the sum of their times: rules divided by it
// are the combined rate.
class ParallelClock {
 public:
  // From now on this many processes add to the sum.
  void share(int processes, uint64_t sum_ns) {
    if (processes == processes_) return;
    shown_ns_ = at(sum_ns);
    from_ns_ = sum_ns;
    processes_ = processes;
  }

  // Never decreases, like `sum_ns`.
  uint64_t at(uint64_t sum_ns) const {
    return shown_ns_ + (sum_ns - from_ns_) / static_cast<uint64_t>(std::max(1, processes_));
  }

 private:
  uint64_t shown_ns_ = 0;  // when the number last changed
  uint64_t from_ns_ = 0;   // the sum then
  int processes_ = 1;
};

}  // namespace percpu

// ---- knobs, keys and presets ----

std::span<const Knob> percpu_knobs();
std::span<const HotKey> percpu_hot_keys();
std::span<const Preset> percpu_presets();

// ---- the workload ----

// `first` is the first worker's answer to the newest command; `cpus` is how many this process may
// run on.
Effective make_percpu_effective(const Settings& requested, const std::optional<WorkerReport>& first,
                                size_t cpus);

WorkloadEntry percpu_entry();

// Throws Error if all rules of all workers would take more than 80 % of the available memory. No
// memory cgroup accounts for it, so nothing else would stop them.
void require_memory(const PercpuSettings& settings, size_t cpus, uint64_t available_bytes);

class PercpuWorkload final : public Workload {
 public:
  explicit PercpuWorkload(const WorkloadContext& context) : pool_(context.pool) {}

  void begin(const Settings& requested) override;
  bool advance() override;
  void quit() override;
  void died(const Worker& worker) override;
  void watch(uint64_t now_ns) override;
  Progress progress(uint64_t) const override;
  std::vector<PartProgress> parts() const override;
  Effective effective(const Seen& seen) const override;
  std::vector<Figure> figures(const Throughput&) const override;
  std::vector<std::string> technique(Role role, const Effective& effective) const override;

 private:
  struct Member {
    Worker& worker;
    uint64_t life = 0;  // its processes that have died
  };
  using Memory = Reading<percpu::MemoryPerRule>;

  void set_workers(uint32_t count);
  void tell();
  WorkerCommand command_for(size_t index) const;
  void learn(const WorkerReport& report);
  void share_clock();
  uint64_t inserting_ns() const;  // of all workers so far
  size_t shape() const;           // of the requested rules
  Reading<double> rules_in() const;

  WorkerPool& pool_;
  std::vector<Member> members_;
  Settings requested_;
  // Until the memory per rule is known, the others hold: they would take memory, too.
  bool first_is_ready_ = false;
  bool measures_ = false;
  bool quits_ = false;
  bool with_filters_ = false;
  percpu::ParallelClock clock_;
  std::array<Memory, 4> memory_;  // by shape()
};

}  // namespace pipetop
