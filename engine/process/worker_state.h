// What a worker is doing, for a front end.
#pragma once

#include <string>

#include "engine/process/worker.h"
#include "engine/snapshot.h"

namespace pipetop {

// What its process cannot tell of itself.
struct WorkerCircumstances {
  std::string last_end;    // how the process before it ended, "" if there was none
  bool suspended = false;  // stopped by us
  ProcessState unanswered = ProcessState::starting;  // while there is no report
};

// Fills in pid, restarts, state and its reason.
void describe_state(const Worker& worker, const WorkerCircumstances& now, WorkerView& view);

}  // namespace pipetop
