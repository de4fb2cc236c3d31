#include "engine/meter/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace pipetop {
namespace {

std::vector<double> logs_of(std::span<const double> ratios) {
  std::vector<double> logs;
  for (const double ratio : ratios)
    if (ratio > 0 && std::isfinite(ratio)) logs.push_back(std::log(ratio));
  return logs;
}

// The means of every two figures, each with itself too.
std::vector<double> walsh_averages(std::span<const double> values) {
  std::vector<double> averages;
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = i; j < values.size(); ++j) averages.push_back((values[i] + values[j]) / 2);
  return averages;
}

// The probability of each sum of positive ranks if a and b are equally fast: each
// rank is then positive or negative with equal probability.
std::vector<double> rank_sum_probabilities(size_t pairs) {
  std::vector<double> probability(pairs * (pairs + 1) / 2 + 1, 0);
  probability[0] = 1;
  for (size_t rank = 1; rank <= pairs; ++rank)
    for (size_t sum = probability.size(); sum-- > 0;)
      probability[sum] = (probability[sum] + (sum >= rank ? probability[sum - rank] : 0)) / 2;
  return probability;
}

// Without ties: they say nothing about which one is faster.
struct RankSums {
  size_t pairs = 0;
  double positive = 0, all = 0;
};

// Equal differences share their ranks.
RankSums rank_sums(std::vector<double> logs) {
  std::erase(logs, 0.0);
  std::ranges::sort(logs, {}, [](double x) { return std::abs(x); });
  RankSums sums;
  sums.pairs = logs.size();
  for (size_t first = 0, last = 0; first < logs.size(); first = last) {
    while (last < logs.size() && std::abs(logs[last]) == std::abs(logs[first])) ++last;
    const double rank = double(first + 1 + last) / 2;
    for (size_t i = first; i < last; ++i)
      if (logs[i] > 0) sums.positive += rank;
    sums.all += rank * double(last - first);
  }
  return sums;
}

// 1 minus the probability of a sum at least this extreme by chance, to either side: that it is this
// one that came out ahead was not known before.
double confidence_of(const RankSums& sums) {
  if (sums.pairs == 0) return 0;
  const auto probability = rank_sum_probabilities(sums.pairs);
  const double far = std::max(sums.positive, sums.all - sums.positive);
  const auto from = probability.begin() + static_cast<ptrdiff_t>(std::floor(far));
  return std::max(0.0, 1 - 2 * std::accumulate(from, probability.end(), 0.0));
}

// The Walsh averages that bound the median: those that a test at this level would
// not reject.
void set_interval(std::span<const double> averages, size_t pairs, double level,
                  PairedComparison& found) {
  const auto probability = rank_sum_probabilities(pairs);
  size_t outside = 0;
  double tail = probability[0];
  while (outside + 1 < averages.size() / 2 && tail + probability[outside + 1] <= (1 - level) / 2) {
    ++outside;
    tail += probability[outside];
  }
  found.low = std::exp(averages[outside]);
  found.high = std::exp(averages[averages.size() - 1 - outside]);
  found.level = std::min(level, 1 - 2 * tail);
}

// The probability of each U of Mann and Whitney if both are alike: of the m * n pairs, in how many
// the first one is ahead. By the largest figure, which is of either side.
std::vector<double> u_probabilities(size_t m, size_t n) {
  std::vector<std::vector<double>> of_n(n + 1, {1.0});  // of as many of the first as so far, none
  for (size_t i = 1; i <= m; ++i)
    for (size_t j = 1; j <= n; ++j) {
      std::vector<double> both(i * j + 1, 0);
      const std::vector<double>&before = of_n[j], &left = of_n[j - 1];
      for (size_t u = 0; u < before.size(); ++u)
        both[u + j] += before[u] * double(i) / double(i + j);
      for (size_t u = 0; u < left.size(); ++u) both[u] += left[u] * double(j) / double(i + j);
      of_n[j] = std::move(both);
    }
  return of_n[n];
}

}  // namespace

UnpairedComparison compare_unpaired(std::span<const double> a, std::span<const double> b,
                                    double level) {
  UnpairedComparison found;
  const std::vector<double> log_a = logs_of(a), log_b = logs_of(b);
  if (log_a.empty() || log_b.empty()) return found;
  std::vector<double> between;
  for (const double x : log_a)
    for (const double y : log_b) between.push_back(y - x);
  std::ranges::sort(between);
  found.ratio = std::exp(median(between));
  const auto below = double(std::ranges::count_if(between, [](double d) { return d < 0; }));
  const auto equal = double(std::ranges::count(between, 0.0));
  const double u = below + equal / 2, far = std::min(u, double(between.size()) - u);
  const std::vector<double> probability = u_probabilities(log_a.size(), log_b.size());
  double tail = 0;
  size_t outside = 0;  // of `between`, on either side
  for (size_t i = 0; i < probability.size(); ++i) {
    tail += probability[i];
    if (double(i) <= far) found.chance = std::min(1.0, 2 * tail);
    if (tail <= (1 - level) / 2) outside = i + 1;
  }
  if (outside == 0) return found;
  found.low = std::exp(between[outside - 1]);
  found.high = std::exp(between[between.size() - outside]);
  return found;
}

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
          values.front(), values.back(), static_cast<uint32_t>(values.size()),
          values};
}

double middle_ratio(std::span<const double> ratios) {
  const std::vector<double> logs = logs_of(ratios);
  if (logs.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::exp(median(walsh_averages(logs)));
}

PairedComparison compare_ratios(std::span<const double> ratios, double level) {
  PairedComparison found;
  const std::vector<double> logs = logs_of(ratios);
  found.pairs = logs.size();
  if (logs.empty()) return found;
  std::vector<double> averages = walsh_averages(logs);
  std::ranges::sort(averages);
  found.ratio = std::exp(median(averages));
  set_interval(averages, logs.size(), level, found);
  found.confidence = confidence_of(rank_sums(logs));
  return found;
}

PairedComparison compare_paired(std::span<const double> a, std::span<const double> b,
                                double level) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] > 0 && b[i] > 0) ratios.push_back(a[i] / b[i]);
  return compare_ratios(ratios, level);
}

double student(double freedom, double level) {
  // For these degrees of freedom; between them it is about linear in their reciprocals.
  constexpr double kFreedom[] = {1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 60, 1e9};
  constexpr double kT95[] = {12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.306,
                             2.228, 2.131, 2.086, 2.042, 2.000, 1.960};
  constexpr double kT99[] = {63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.355,
                             3.169, 2.947, 2.845, 2.750, 2.660, 2.576};
  const auto& t = level > 0.95 ? kT99 : kT95;
  const auto above = std::ranges::upper_bound(kFreedom, freedom);
  if (above == std::begin(kFreedom)) return t[0];
  if (above == std::end(kFreedom)) return t[std::size(kT95) - 1];
  const size_t i = size_t(above - std::begin(kFreedom));
  const double from = 1 / kFreedom[i - 1], to = 1 / kFreedom[i];
  return std::lerp(t[i - 1], t[i], (from - 1 / freedom) / (from - to));
}

namespace {

struct Squares {
  double mean = 0, own = 0,
         neighbours = 0;  // sums of deviations squared, and of neighbours' products
};

Squares squares_of(std::span<const double> in_order) {
  Squares s;
  s.mean = std::accumulate(in_order.begin(), in_order.end(), 0.0) / double(in_order.size());
  double before = 0;
  for (const double x : in_order) {
    s.own += (x - s.mean) * (x - s.mean);
    s.neighbours += (x - s.mean) * before;
    before = x - s.mean;
  }
  return s;
}

// With neighbours that are alike, n rates say as much as n / kin independent ones.
double plus_minus_by_neighbours(std::span<const double> in_order) {
  constexpr double kAssumed = 0.7, kWorth = 20;  // that autocorrelation, as if seen in so many
  const auto n = double(in_order.size());
  const Squares s = squares_of(in_order);
  if (s.own == 0) return 0;
  const double found = s.neighbours / s.own, seen = found + (1 + 4 * found) / n;  // of few: too low
  const double alike = (n * std::clamp(seen, 0.0, 0.98) + kWorth * kAssumed) / (n + kWorth);
  const double kin = std::min((1 + alike) / (1 - alike), 0.8 * n);
  return student(n / kin - 1) * std::sqrt(s.own / (n - kin) * kin / n);
}

// By the means of so many batches; what is left over is at the beginning.
double plus_minus_by_batches(std::span<const double> in_order, size_t count) {
  const size_t batch = in_order.size() / count;
  std::vector<double> means;
  for (size_t i = in_order.size() - count * batch; i < in_order.size(); i += batch)
    means.push_back(squares_of(in_order.subspan(i, batch)).mean);
  return student(double(count - 1)) *
         std::sqrt(squares_of(means).own / double(count - 1) / double(count));
}

}  // namespace

std::optional<double> plus_minus(std::span<const double> in_order) {
  constexpr size_t kFewest = 5, kOneSecond = 10, kFewestBatches = 3;
  const size_t n = in_order.size();
  if (n < kFewest) return {};
  double most = plus_minus_by_neighbours(in_order);
  for (size_t count = kFewestBatches; n / count >= kOneSecond; count += count / 2)
    most = std::max(most, plus_minus_by_batches(in_order, count));
  if (most > squares_of(in_order).mean) return {};
  return most;
}

RatioInterval ratio_interval(std::span<const double> ratios, double level) {
  const std::vector<double> logs = logs_of(ratios);
  if (logs.empty()) return {};
  const Squares s = squares_of(logs);
  if (logs.size() < 2) return {.ratio = std::exp(s.mean)};
  const auto n = double(logs.size());
  const double off = student(n - 1, level) * std::sqrt(s.own / (n - 1) / n);
  return {std::exp(s.mean), std::exp(s.mean - off), std::exp(s.mean + off)};
}

double pooled_log_deviation(std::span<const std::vector<double>> groups) {
  double squares = 0;
  size_t freedom = 0;
  for (const std::vector<double>& group : groups) {
    const std::vector<double> logs = logs_of(group);
    if (logs.size() < 2) continue;
    const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / double(logs.size());
    for (const double x : logs) squares += (x - mean) * (x - mean);
    freedom += logs.size() - 1;
  }
  return freedom == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : std::sqrt(squares / double(freedom));
}

}  // namespace pipetop
