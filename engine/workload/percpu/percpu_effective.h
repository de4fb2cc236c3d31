// What of the settings is in force.
#pragma once

#include <optional>

#include "engine/model/control_block.h"
#include "engine/model/snapshot.h"

namespace pipetop::percpu {

struct InForce {
  std::optional<WorkerReport> first;  // of the newest command, by the first worker
  size_t cpus = 0;                    // that we may run on
  bool settled = false;
};

Effective make_effective(const Settings& requested, const InForce& facts);

}  // namespace pipetop::percpu
