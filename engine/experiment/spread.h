// Many figures of one thing, as what they come to.
#pragma once

#include <cstddef>
#include <vector>

namespace pipetop {

using Figures = std::vector<double>;

// Quartiles: on a shared machine the mean tells of the neighbours.
struct Spread {
  double lower = 0, median = 0, upper = 0;
  size_t figures = 0;
};

// Of at least one figure.
Spread spread_of(const Figures& figures);

// a - b, each with the one of its own time, as far as there are both.
Figures differences(const Figures& a, const Figures& b);

}  // namespace pipetop
