// What of the settings is in force.
#pragma once

#include <optional>

#include "engine/control_block.h"
#include "engine/snapshot.h"

namespace pipetop::percpu {

struct InForce {
  std::optional<WorkerReport> first;  // of the newest command, by the first worker
  size_t cpus = 0;                    // that we may run on
  bool settled = false;
};

Effective make_effective(const Settings& requested, const InForce& facts);

}  // namespace pipetop::percpu
