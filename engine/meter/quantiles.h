// Order statistics of a handful of figures.
#pragma once

#include <vector>

namespace pipetop {

// The figure below which `share` of them lie, one of them itself; NaN if there
// are none.
double percentile(std::vector<double> values, double share);

double median(std::vector<double> values);

}  // namespace pipetop
