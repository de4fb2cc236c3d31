#include "engine/experiment/spread.h"

#include <algorithm>
#include <cmath>

namespace pipetop {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * double(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - double(below));
}

}  // namespace

Spread spread_of(Figures figures) {
  std::ranges::sort(figures);
  return {quantile(figures, 0.5), quantile(figures, 0.25), quantile(figures, 0.75),
          figures.front(),        figures.back(),          static_cast<uint32_t>(figures.size())};
}

Figures differences(const Figures& a, const Figures& b) {
  Figures result(std::min(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

}  // namespace pipetop
