// Workers that insert tc rules, each in its own network namespace, with per-CPU counters or a
// shared one.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/model/control_block.h"
#include "engine/model/snapshot.h"
#include "engine/workload/percpu/memory_probe.h"
#include "engine/workload/percpu/parallel_clock.h"
#include "engine/workload/workload.h"

namespace pipetop {

struct PercpuFacts {
  std::optional<WorkerReport> first;  // the first worker's answer to the newest command
  size_t cpus = 0;                    // that this process may run on
  bool settled = false;
};

Effective make_percpu_effective(const Settings& requested, const PercpuFacts& facts);

WorkloadEntry percpu_entry();

class PercpuWorkload final : public Workload {
 public:
  explicit PercpuWorkload(const WorkloadContext& context) : pool_(context.pool) {}

  void begin(const Settings& requested) override;
  bool advance() override;
  void quit() override;
  void died(const Worker& worker) override;
  void watch(uint64_t now_ns) override;
  Progress progress() const override;
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
  Memory& memory();               // of a rule of the requested shape
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
  std::array<std::array<Memory, 2>, 2> memory_;  // by Profile and no_percpu
};

}  // namespace pipetop
