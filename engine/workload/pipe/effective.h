// The effective settings, from the plan, the workers' reports, the ring's granted
// size and slots, and what the kernel says about huge pages and CPUs.
#pragma once

#include <array>
#include <optional>

#include "engine/host/zero_copy_probe.h"
#include "engine/model/snapshot.h"
#include "engine/worker/pipe_command.h"
#include "engine/workload/pipe/pipe_plan.h"

namespace pipetop {

struct EffectiveFacts {
  std::optional<PipeReport> writer, reader;  // of the newest command
  uint64_t pipe_bytes = 0;                   // F_GETPIPE_SZ
  int resize_error = 0;
  bool draining = false;  // waiting for the reader to drain the ring
  bool settled = false;
  Reading<bool> huge;        // the writer's buffers, by smaps
  ZeroCopyProbe probe;       // of vmsplice
  ZeroCopyProbe file_probe;  // of splice from a memfd
  // From the slots filled since everything is in effect; takes precedence over the probe.
  Reading<std::array<double, kSlotKinds>> kinds;
  // The CPU on which each worker, by Role, has run since it was placed; nothing if it has not run.
  std::array<std::optional<int>, kRoles> run_on;
};

Effective make_effective(const Settings& requested, const PipePlan& plan,
                         const EffectiveFacts& facts);

}  // namespace pipetop
