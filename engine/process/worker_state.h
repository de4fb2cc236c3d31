// What a worker is doing, for a front end.
#pragma once

#include <span>
#include <string>

#include "engine/model/snapshot.h"
#include "engine/process/worker.h"

namespace pipetop {

// What its process cannot tell of itself.
struct WorkerContext {
  bool suspended = false;                            // stopped by us
  ProcessState unanswered = ProcessState::starting;  // while there is no report
  std::string_view prepares, does;                   // see WorkloadTerms
};

// Fills in pid, restarts, state and its reason.
void describe_state(const Worker& worker, const WorkerContext& now, WorkerView& view);
// Of several: the state of the one that most needs to be known of.
void describe_state(std::span<const Worker* const> workers, const WorkerContext& now,
                    WorkerView& view);

}  // namespace pipetop
