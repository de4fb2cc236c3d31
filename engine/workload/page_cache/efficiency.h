// How much clients slow each other down: their rate relative to the same number of
// independent clients.
#pragma once

#include "engine/base/reading.h"
#include "engine/model/segment.h"

namespace pipetop {

// The current segment's rate divided by (number of clients x the rate of one client), where the
// latter comes from an earlier segment with otherwise equal settings (`in_force`).
Reading<double> efficiency_of(const Throughput& throughput, const Settings& in_force);

}  // namespace pipetop
