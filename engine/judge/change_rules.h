// What a change of the settings did to the rate, and why.
#pragma once

#include "engine/base/reading.h"
#include "engine/model/segment.h"
#include "engine/model/tables.h"

namespace pipetop {

// A share of so many samples is right to within 5 points, with two standard errors.
inline constexpr uint64_t kManySamples = 400;

// Of the segment `after`, which follows `before`. Warming until the rate has settled; then the
// cause is "" until there are enough samples for it. Change::since_start is not set.
Reading<Change> explain_change(const Segment& before, const Segment& after,
                               const WorkloadTerms& terms);

}  // namespace pipetop
