// The table of workloads. To add one: a folder with its knobs, its Workload and its
// workers' loop, and a row here.
#pragma once

#include <span>

#include "engine/workload/workload.h"

namespace pipetop {

std::span<const WorkloadEntry> workloads();  // in the order in which help lists them
const WorkloadEntry& workload(WorkloadKind kind);

}  // namespace pipetop
