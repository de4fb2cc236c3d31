// The process that inserts rules, in its own network namespace.
#pragma once

#include <optional>

#include "engine/model/control_block.h"
#include "engine/worker/worker_life.h"
#include "engine/workload/percpu/inserter.h"
#include "engine/workload/percpu/percpu_command.h"

namespace pipetop::percpu {

class InsertWorker {
 public:
  explicit InsertWorker(ControlBlock& block) : block_(block) {}

  // See run_worker(). When it returns, there are no rules of another shape. Both throw Error.
  bool prepare(const InsertCommand& command, WorkerReport& report);
  LoopEnd work(uint32_t generation);

 private:
  void enter_network();
  void need_kind(ActionKind kind);
  void measure(const RuleShape& shape, InsertReport& found, WorkerReport& report);
  void tell_rules_in();

  ControlBlock& block_;
  std::optional<TcActions> actions_;
  std::optional<Inserter> inserter_;
  std::optional<ActionKind> known_kind_;  // that the kernel has
};

// Runs to the end; returns the exit status.
int run_inserter(ControlBlock& block);

}  // namespace pipetop::percpu
