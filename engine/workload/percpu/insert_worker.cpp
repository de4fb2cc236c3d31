#include "engine/workload/percpu/insert_worker.h"

#include <algorithm>
#include <optional>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/worker/worker_loop.h"
#include "engine/workload/percpu/private_network.h"

namespace pipetop::percpu {
namespace {

InsertPlan plan_of(const InsertCommand& command) {
  return {.rule = {.kind = static_cast<Profile>(command.kind), .no_percpu = command.no_percpu != 0},
          .batch = static_cast<uint32_t>(command.batch),
          .count = static_cast<uint32_t>(command.rules)};
}

class InsertWorker {
 public:
  explicit InsertWorker(ControlBlock& block) : block_(block) {}

  // See run_worker(). When it returns, there are no rules of another shape. Both throw Error.
  bool prepare(const InsertCommand& command, uint32_t generation, WorkerReport& report) {
    set(block_.counts.present, 0);
    // Only once: it cannot be undone.
    if (!actions_) actions_.emplace(enter_private_network());
    const InsertPlan plan = plan_of(command);
    if (!inserter_) inserter_.emplace(*actions_, plan);
    inserter_->change(plan);
    need_kind(plan.rule.kind);
    InsertReport found{.with_filters = actions_->insert_path() == InsertPath::filter};
    if (command.measure) {
      inserter_->flush();
      measure(plan.rule, generation, found, report);
    }
    put_words(report.words, found);
    tell_rules_in();
    return true;
  }

  LoopEnd work(uint32_t generation) {
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

 private:
  void need_kind(Profile kind) {
    if (known_kind_ == kind) return;
    known_kind_.reset();
    if (const std::string why = actions_->why_unsupported(kind); !why.empty())
      throw Error(why, Exit::unsupported);
    known_kind_ = kind;
  }

  // A newer command ends the preparation for an older one.
  void measure(const RuleShape& shape, uint32_t generation, InsertReport& found,
               WorkerReport& report) {
    const auto memory =
        measure_memory_per_rule(*actions_, shape, [&] { return !is_changed(block_, generation); });
    set_reason(report, memory.reason);
    if (!memory.has_value()) return;
    found.measured = 1;
    found.memory = *memory;
  }

  void tell_rules_in() { set(block_.counts.present, inserter_->rules_in()); }

  ControlBlock& block_;
  std::optional<TcActions> actions_;
  std::optional<Inserter> inserter_;
  std::optional<Profile> known_kind_;  // that the kernel has
};

}  // namespace

void Inserter::flush() {
  actions_.flush(plan_.rule.kind);
  rules_in_ = 0;
  next_index_ = 1;
}

void Inserter::change(const InsertPlan& plan) {
  if (plan.rule != plan_.rule && rules_in_ > 0) flush();
  plan_ = plan;
}

InsertStep Inserter::insert_some() {
  if (full()) flush();
  const uint32_t batch = std::min(plan_.batch, plan_.count - rules_in_);
  const uint64_t begin = monotonic_ns();
  const Insertion done = actions_.insert(plan_.rule, next_index_, batch);
  const uint64_t inserting_ns = monotonic_ns() - begin;
  if (!done.refusals.empty()) flush();
  need_all(done, plan_.rule.kind);
  next_index_ += batch;
  rules_in_ += done.rules;
  return {.rules = done.rules, .inserting_ns = inserting_ns};
}

int run_inserter(ControlBlock& block) {
  InsertWorker worker(block);
  return run_worker<InsertCommand>(
      block,
      [&](const InsertCommand& command, uint32_t generation, WorkerReport& report) {
        return worker.prepare(command, generation, report);
      },
      [&](const InsertCommand&, uint32_t generation) { return worker.work(generation); });
}

}  // namespace pipetop::percpu
