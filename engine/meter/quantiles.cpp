#include "engine/meter/quantiles.h"

#include <algorithm>
#include <cmath>

namespace pipetop {

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, static_cast<size_t>(share * double(values.size())))];
}

double median(std::vector<double> values) { return percentile(std::move(values), 0.5); }

}  // namespace pipetop
