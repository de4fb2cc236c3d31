// How a handful of figures lie, as every experiment tells it.
#pragma once

#include <cstdint>
#include <vector>

namespace pipetop {

// Between two figures it is interpolated, as numpy, pandas and R do by default, so
// that whoever works on the CSV finds the same numbers.
struct Spread {
  double median = 0;
  double lower = 0, upper = 0;  // quartiles: the middle half lies between
  double least = 0, most = 0;
  uint32_t count = 0;
};

using Figures = std::vector<double>;

// Of at least one figure.
Spread spread_of(Figures figures);

// a - b, each with the one of its own time, as far as there are both.
Figures differences(const Figures& a, const Figures& b);

}  // namespace pipetop
