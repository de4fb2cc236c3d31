// What is in force, put together from the plan, the workers' reports, the ring's
// granted size and slots, and the kernel's word on huge pages and CPUs.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "engine/model/snapshot.h"
#include "engine/worker/pipe_command.h"
#include "engine/workload/pipe/pipe_plan.h"

namespace pipetop {

struct EffectiveFacts {
  std::optional<PipeReport> writer, reader;  // of the newest command
  uint64_t pipe_bytes = 0;                   // F_GETPIPE_SZ
  int resize_error = 0;
  bool draining = false;  // a smaller ring waits for the reader
  bool settled = false;
  Reading<bool> huge;  // the writer's buffers, by smaps
  ZeroCopy probe = ZeroCopy::unverifiable;
  std::string probe_reason;
  ZeroCopy file_probe = ZeroCopy::unverifiable;  // the same for splice from a memfd
  std::string file_probe_reason;
  // Of the slots filled since all is in force; it outweighs the probe.
  Reading<std::array<double, kSlotKinds>> kinds;
  // Where each worker, by Role, has run since it was placed; nothing while it has not.
  std::array<std::optional<int>, kRoles> run_on;
};

Effective make_effective(const Settings& requested, const PipePlan& plan,
                         const EffectiveFacts& facts);

}  // namespace pipetop
