#include "engine/workload/percpu/insert_worker.h"

#include "engine/base/error.h"
#include "engine/workload/percpu/memory_probe.h"
#include "engine/workload/percpu/private_network.h"

namespace pipetop::percpu {
namespace {

InsertPlan plan_of(const InsertCommand& command) {
  return {
      .rule = {.kind = static_cast<ActionKind>(command.kind), .no_percpu = command.no_percpu != 0},
      .batch = static_cast<uint32_t>(command.batch),
      .count = static_cast<uint32_t>(command.rules)};
}

}  // namespace

// Only once: it cannot be undone.
void InsertWorker::enter_network() {
  if (!actions_) actions_.emplace(enter_private_network().device);
}

void InsertWorker::need_kind(ActionKind kind) {
  if (known_kind_ == kind) return;
  known_kind_.reset();
  if (const std::string why = actions_->why_unsupported(kind); !why.empty())
    throw Error(why, Exit::unsupported);
  known_kind_ = kind;
}

void InsertWorker::tell_rules_in() { set(block_.counts.present, inserter_->rules_in()); }

// A newer command ends the preparation for an older one.
void InsertWorker::measure(const RuleShape& shape, InsertReport& found, WorkerReport& report) {
  const uint32_t generation = block_.generation.load(std::memory_order_relaxed);
  const auto memory =
      measure_memory_per_rule(*actions_, shape, [&] { return !is_changed(block_, generation); });
  set_reason(report, memory.reason);
  if (!memory.has_value()) return;
  found.measured = 1;
  found.percpu_bytes = memory->percpu_bytes;
  found.slab_bytes = memory->slab_bytes;
}

bool InsertWorker::prepare(const InsertCommand& command, WorkerReport& report) {
  set(block_.counts.present, 0);
  enter_network();
  const InsertPlan plan = plan_of(command);
  if (!inserter_) inserter_.emplace(*actions_, plan);
  inserter_->change(plan);
  need_kind(plan.rule.kind);
  InsertReport found{.with_filters = actions_->road() == Road::filter};
  if (command.measure) {
    inserter_->flush();
    measure(plan.rule, found, report);
  }
  put_words(report.words, found);
  tell_rules_in();
  return true;
}

LoopEnd InsertWorker::work(uint32_t generation) {
  WorkerCounts& counts = block_.counts;
  while (!is_changed(block_, generation)) {
    const uint64_t calls = actions_->system_calls();
    const InsertStep step = inserter_->insert_some();
    add(counts.items, step.rules);
    add(counts.active_ns, step.inserting_ns);
    add(counts.syscalls, actions_->system_calls() - calls);
    tell_rules_in();
  }
  return LoopEnd::changed;
}

int run_inserter(ControlBlock& block) {
  InsertWorker worker(block);
  return run_worker<InsertCommand>(
      block,
      [&](const InsertCommand& command, WorkerReport& report) {
        return worker.prepare(command, report);
      },
      [&](const InsertCommand&, uint32_t generation) { return worker.work(generation); });
}

}  // namespace pipetop::percpu
