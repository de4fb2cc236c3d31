// Median, quartiles and range of a handful of values, and statistics for a few noisy figures
// measured in pairs.
//
// Interpolated between two values, as numpy, pandas and R do by default, so that anyone who
// processes our CSV gets the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
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
  std::vector<double> figures = {};  // lowest first
};

// Needs at least one value.
Spread spread_of(std::vector<double> values);

// Compares pairs a over b by Wilcoxon's signed-rank test on the logarithms of ratios. Exact up to
// 100 pairs, and a pair that the host disturbed counts no more than its rank.
struct PairedComparison {
  size_t pairs = 0;
  double ratio = 1;       // the middle of the pairs' ratios
  double low = 1;         // its confidence interval ...
  double high = 1;        // ... with a confidence of
  double level = 0;       // as asked for, or what so few pairs allow
  double confidence = 0;  // 0 to 1 that they differ, two-sided as the interval
};

// A pair with a figure of 0 doesn't count, as it wasn't measured; or 0 is slower than all others.
enum class Zeros : uint8_t { unmeasured, slowest };

// Elements with the same index were measured right after each other. None is below 0.
PairedComparison compare_paired(std::span<const double> a, std::span<const double> b,
                                double level = 0.95, Zeros zeros = Zeros::unmeasured);
// The same when only the ratios are known.
PairedComparison compare_ratios(std::span<const double> ratios, double level = 0.95);

// Compares b over a, which were not measured in pairs, by the Mann-Whitney test; exact without
// ties, for up to 2,500 pairs. The ratio is the middle of all b / a, and the interval has those
// that the test at `level` would not reject: it leaves out 1 just where the test finds that they
// differ. A figure of 0 is below all others, and of two the ratio is 1; none is below 0. A ratio to
// 0 is infinite.
struct UnpairedComparison {
  double ratio = 1;
  double low = 0, high = std::numeric_limits<double>::infinity();
  double chance = 1;      // of such a difference if there is none, two-sided
  bool is_known = false;  // the interval: not with too few figures
};
UnpairedComparison compare_unpaired(std::span<const double> a, std::span<const double> b,
                                    double level = 0.95);

// The Hodges-Lehmann pseudo-median, on a log scale: the mean of two figures; from three on
// increasingly robust against outliers. NaN if there are none.
double middle_ratio(std::span<const double> ratios);

// How many standard errors the mean may be off, with this confidence (0.95 or 0.99): Student's t.
double student(double freedom, double level = 0.95);

// Half of the 95 % interval of the mean of rates that were measured one after the other, about ten
// per second. Neighbours are alike and the machine drifts: so an autocorrelation is assumed until
// there are enough to know it, and the means of one second and longer must not scatter more.
// Nothing while there are too few to tell, or if they vary so much that it would reach below 0.
std::optional<double> plus_minus(std::span<const double> in_order);

// The geometric mean of ratios, and the interval that it is in with a confidence of `level`; of a
// single one, or of none, nothing is known.
struct RatioInterval {
  double ratio = 1, low = 0, high = std::numeric_limits<double>::infinity();

  bool is_known() const { return low > 0; }
  bool differs() const { return low > 1 || high < 1; }
};
RatioInterval ratio_interval(std::span<const double> ratios, double level = 0.95);

// Standard deviation of the logarithms within each group, over all groups; NaN while
// no group has two figures.
double pooled_log_deviation(std::span<const std::vector<double>> groups);

}  // namespace pipetop
