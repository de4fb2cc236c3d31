// From the requested to possible settings: pure arithmetic over the knobs and the
// machine's limits, so that every fallback can be tested without such a machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/settings.h"
#include "engine/model/snapshot.h"
#include "engine/workload/capabilities.h"

namespace pipetop {

struct PipePlan {
  Settings settings;  // what will be tried; pipe_size is never auto
  std::vector<Mismatch> mismatches;
};

PipePlan make_plan(const Settings& requested, const Capabilities& machine);

}  // namespace pipetop
