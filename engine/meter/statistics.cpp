#include "engine/meter/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pipetop {
double quantile_of_sorted(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::nan("");
  const double place = share * double(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - double(below));
}

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return quantile_of_sorted(values, share);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double share) { return quantile_of_sorted(values, share); };
  return {at(0.5),        at(0.25),      at(0.75),
          values.front(), values.back(), static_cast<uint32_t>(values.size())};
}

}  // namespace pipetop
