#include "engine/workload/percpu/inserter.h"

#include <algorithm>

#include "engine/base/clock.h"

namespace pipetop::percpu {

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

}  // namespace pipetop::percpu
