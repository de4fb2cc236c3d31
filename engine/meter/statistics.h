// Median, quartiles and range of a handful of values.
//
// Interpolated between two values, as numpy, pandas and R do by default, so that anyone who
// processes our CSV gets the same numbers.
#pragma once

#include <cstdint>
#include <vector>

namespace pipetop {

// The value below which `share` of them lie, 0 to 1; NaN if there are none.
double quantile(std::vector<double> values, double share);
double quantile_of_sorted(const std::vector<double>& sorted, double share);  // lowest first

double median(std::vector<double> values);

struct Spread {
  double median = 0;
  double lower = 0, upper = 0;  // quartiles: the middle half lies between
  double least = 0, most = 0;
  uint32_t count = 0;
};

// Of at least one value.
Spread spread_of(std::vector<double> values);

}  // namespace pipetop
