// What a change of the settings did to the rate, and why.
#pragma once

#include <string>

#include "engine/base/reading.h"
#include "engine/model/segment.h"
#include "engine/model/tables.h"

namespace pipetop {

// Explains the change from segment `before` to `after`. Warming until the rate has settled; the
// cause is "" until there are enough samples for it. Change::since_start is not set.
// `repeats`: by how much segments with the same settings differ here, as a share.
Reading<Change> explain_change(const Segment& before, const Segment& after,
                               const WorkloadTerms& terms, double repeats = 0);

// Half of the 95 % interval of the logarithm of after / before, as far as the rates themselves show
// it; infinite if they are too few.
double off_by(const RateStats& before, const RateStats& after);

// "26.4 → 44.3 MiB/s, ×1.68 [1.60 .. 1.76]: gzip no longer waits for room"
std::string line_of(const Change& change, const Unit& unit);

}  // namespace pipetop
