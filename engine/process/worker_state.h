// The state of a worker, for front ends.
#pragma once

#include <span>
#include <string>

#include "engine/model/snapshot.h"
#include "engine/process/worker.h"

namespace pipetop {

// Facts that its process cannot report.
struct WorkerContext {
  bool suspended = false;                            // stopped by us
  ProcessState unanswered = ProcessState::starting;  // until there is a report
  std::string_view prepares, does;                   // see WorkloadTerms
};

// Fills in pid, restarts, state and its reason.
void describe_state(const Worker& worker, const WorkerContext& now, WorkerView& view);
// For several: the worst state.
void describe_state(std::span<const Worker* const> workers, const WorkerContext& now,
                    WorkerView& view);

}  // namespace pipetop
