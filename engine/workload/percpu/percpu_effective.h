// The effective settings.
#pragma once

#include <optional>

#include "engine/model/control_block.h"
#include "engine/model/snapshot.h"

namespace pipetop::percpu {

struct InForce {
  std::optional<WorkerReport> first;  // the first worker's answer to the newest command
  size_t cpus = 0;                    // that this process may run on
  bool settled = false;
};

Effective make_effective(const Settings& requested, const InForce& facts);

}  // namespace pipetop::percpu
