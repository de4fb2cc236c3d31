#include "engine/experiment/spread.h"

#include <algorithm>

#include "engine/meter/quantiles.h"

namespace pipetop {

Spread spread_of(const Figures& figures) {
  return {percentile(figures, 0.25), median(figures), percentile(figures, 0.75), figures.size()};
}

Figures differences(const Figures& a, const Figures& b) {
  Figures result(std::min(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

}  // namespace pipetop
