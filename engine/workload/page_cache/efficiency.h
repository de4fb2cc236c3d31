// What clients do to each other: their rate against that of as many who are alone.
#pragma once

#include "engine/base/reading.h"
#include "engine/model/segment.h"

namespace pipetop {

// The present segment's rate over the one that its number of clients would have if each
// had what one client had with otherwise equal settings, `in_force`, in a segment before.
Reading<double> efficiency_of(const Throughput& throughput, const Settings& in_force);

}  // namespace pipetop
