// The process that inserts rules, in its own network namespace: the engine's command to
// it, its report, and its loop.
#pragma once

#include <cstdint>

#include "engine/model/control_block.h"
#include "engine/model/settings.h"
#include "engine/workload/percpu/memory_probe.h"
#include "engine/workload/percpu/tc_actions.h"

namespace pipetop::percpu {

inline constexpr Role kInserter{};  // the only role

struct InsertCommand {
  uint64_t kind = 0;       // Profile
  uint64_t no_percpu = 0;  // 0 or 1
  uint64_t rules = 0;      // at most, in the kernel
  uint64_t batch = 1;      // rules per call
  uint64_t measure = 0;    // 0 or 1: measure the memory per rule first
  uint64_t life = 0;       // of this process: a successor answers for itself
};

struct InsertReport {
  uint64_t with_filters = 0;  // 0 or 1: the rules come with filters (InsertPath::filter)
  uint64_t measured = 0;      // 0 or 1; 0: the report's reason says why not
  MemoryPerRule memory = {};  // once measured
};

// Inserts rules, batch by batch, then removes them all and starts again.
struct InsertPlan {
  RuleShape rule;
  uint32_t batch = 1;       // rules per system call, 1 to kMaxBatch
  uint32_t count = 30'000;  // maximum number of rules in the kernel
};

struct InsertStep {
  uint32_t rules = 0;         // that went in
  uint64_t inserting_ns = 0;  // without the time to remove old ones
};

class Inserter {
 public:
  // `actions` must outlive it and have no rules yet.
  Inserter(TcActions& actions, const InsertPlan& plan) : actions_(actions), plan_(plan) {}

  // Takes effect with the next batch. Existing rules stay if they have the same shape; all rules
  // always have the same shape. Throws Error.
  void change(const InsertPlan& plan);

  // Inserts one batch; first removes all rules if there are `count`. If the kernel refuses a rule,
  // removes all and throws Error.
  InsertStep insert_some();

  // Removes all rules. Throws Error.
  void flush();

  uint32_t rules_in() const { return rules_in_; }
  bool full() const { return rules_in_ >= plan_.count; }

 private:
  TcActions& actions_;
  InsertPlan plan_;
  uint32_t rules_in_ = 0;
  uint32_t next_index_ = 1;
};

// Runs to the end; returns the exit status.
int run_inserter(ControlBlock& block);

}  // namespace pipetop::percpu
