// Statistics for a few noisy figures measured in pairs: Wilcoxon's signed-rank test on the
// logarithms of their ratios. Exact for any number of pairs, and a pair that the host disturbed
// counts no more than its rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pipetop {

// a over b.
struct PairedComparison {
  size_t pairs = 0;
  double ratio = 1;       // the middle of the pairs' ratios
  double low = 1;         // its confidence interval ...
  double high = 1;        // ... with a confidence of
  double level = 0;       // 0.95, or what so few pairs allow
  double confidence = 0;  // 0.5 to 1 that the apparently faster one is faster
};

// Elements with the same index were measured right after each other. Only pairs above zero count.
PairedComparison compare_paired(std::span<const double> a, std::span<const double> b);
// The same when only the ratios are known.
PairedComparison compare_ratios(std::span<const double> ratios);

// The Hodges-Lehmann pseudo-median, on a log scale: the mean of two figures; from three on
// increasingly robust against outliers. NaN if there are none.
double middle_ratio(std::span<const double> ratios);

// Standard deviation of the logarithms within each group, over all groups; NaN while
// no group has two figures.
double pooled_log_deviation(std::span<const std::vector<double>> groups);

}  // namespace pipetop
