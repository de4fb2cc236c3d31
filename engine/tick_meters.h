// What every tick reads of workers, parts and ring, for the Snapshot.
#pragma once

#include <array>
#include <cstdint>

#include "engine/host/host.h"
#include "engine/judge/steady.h"
#include "engine/meter/rewritten_slots.h"
#include "engine/meter/worker_meters.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "engine/observe/observers.h"
#include "engine/process/worker_pool.h"
#include "engine/workload/workload.h"

namespace pipetop {

// Where the engine is in its life.
struct EngineLife {
  bool settled_once = false;
  bool suspended = false;
  bool finished = false;
};

class TickMeters {
 public:
  // All outlive it.
  TickMeters(const WorkloadTerms& terms, const Workload& workload, const WorkerPool& pool,
             Observers& observers)
      : terms_(terms),
        workload_(workload),
        pool_(pool),
        observers_(observers),
        part_rates_(terms.unit.count) {}

  WorkerMeter& of(Role role) { return workers_[static_cast<size_t>(role)]; }
  const WorkerMeter& of(Role role) const { return workers_[static_cast<size_t>(role)]; }

  // Restarts the rates of workers and pages.
  void restart();
  // The settings changed: everything shown is of the time before.
  void forget(uint64_t now_ns);

  void sample(uint64_t now_ns, const EngineLife& life, Totals totals);

  // Fills in ring, workers, parts, integrity, verdict and the rest that was observed. Needs what
  // is in effect, and the figures.
  void describe(const EngineLife& life, Snapshot& snapshot);

 private:
  void refresh_functions(uint64_t now_ns, const EngineLife& life);
  WorkerReadings view_of(Role role, const EngineLife& life, const Effective& effective) const;
  std::vector<PartReadings> parts() const;
  RingReadings ring(uint64_t now_ns, const Effective& effective);

  const WorkloadTerms& terms_;
  const Workload& workload_;
  const WorkerPool& pool_;
  Observers& observers_;
  std::array<WorkerMeter, kRoles> workers_;
  IntegrityMeter integrity_;
  PartRates part_rates_;
  MachineMeter machine_;
  SteadyNoise noise_;
  RewrittenSlots rewritten_;
  std::array<Reading<FunctionTable>, kRoles> functions_;
  std::array<Reading<BlockedTable>, kRoles> blocked_;
  uint64_t functions_at_ns_ = 0;          // 0: refresh them at the next tick
  uint64_t verdict_due_ns_ = UINT64_MAX;  // the first one that can be had: refresh them for it
  bool judge_ = false;                    // the functions are new since the last verdict
  Steady<Reading<Verdict>> verdict_{Reading<Verdict>::warming("no verdict yet")};
};

}  // namespace pipetop
