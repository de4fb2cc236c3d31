// What a worker does over and over: fill the kernel with rules, batch by batch,
// then take them all out and begin again.
#pragma once

#include <cstdint>

#include "engine/workload/percpu/tc_actions.h"

namespace pipetop::percpu {

struct InsertPlan {
  RuleShape rule;
  uint32_t batch = 1;       // rules a system call, 1 to kMaxBatch
  uint32_t count = 30'000;  // rules in the kernel at most
};

struct InsertStep {
  uint32_t rules = 0;         // that went in
  uint64_t inserting_ns = 0;  // without the time to take old ones out
};

class Inserter {
 public:
  // `actions` outlives it and has no rules yet.
  Inserter(TcActions& actions, const InsertPlan& plan) : actions_(actions), plan_(plan) {}

  // Takes effect with the next batch. Rules that are in stay if they are of the same
  // shape; all that are in are always alike. Throws Error.
  void change(const InsertPlan& plan);

  // One batch; before it, when `count` rules are in, takes them out. Throws Error, with
  // none left in when the kernel refuses one.
  InsertStep insert_some();

  // Takes all rules out. Throws Error.
  void flush();

  const InsertPlan& plan() const { return plan_; }
  uint32_t rules_in() const { return rules_in_; }
  bool full() const { return rules_in_ >= plan_.count; }

 private:
  TcActions& actions_;
  InsertPlan plan_;
  uint32_t rules_in_ = 0;
  uint32_t next_index_ = 1;
};

}  // namespace pipetop::percpu
