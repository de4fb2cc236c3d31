// What is in force, put together from the plan, the workers' reports, the ring's
// granted size and the kernel's word on huge pages.
#pragma once

#include <optional>
#include <string>

#include "engine/control_block.h"
#include "engine/plan.h"
#include "engine/snapshot.h"

namespace pipetop {

struct EffectiveFacts {
  std::optional<WorkerReport> writer, reader;  // of the newest command
  uint64_t pipe_bytes = 0;                     // F_GETPIPE_SZ
  int resize_error = 0;
  bool draining = false;  // a smaller ring waits for the reader
  bool settled = false;
  Reading<bool> huge;  // the writer's buffers, by smaps
  ZeroCopy probe = ZeroCopy::unverifiable;
  std::string probe_reason;
};

Effective make_effective(const Settings& requested, const Plan& plan, const EffectiveFacts& facts);

}  // namespace pipetop
