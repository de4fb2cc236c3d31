#include "engine/meter/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
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

// Of the logarithm of 0 and another one there is no mean but that infinity, and of both infinities,
// which differ as much to either side, it is none of them.
double mean_of(double a, double b) { return a == -b ? 0 : (a + b) / 2; }

// As the rank of each in all of them, so that they can be bisected.
uint64_t order_of(double value) {
  constexpr uint64_t kSign = 1ull << 63;
  const auto bits = std::bit_cast<uint64_t>(value);
  return bits & kSign ? ~bits : bits | kSign;
}

double value_at(uint64_t order) {
  constexpr uint64_t kSign = 1ull << 63;
  return std::bit_cast<double>(order & kSign ? order & ~kSign : ~order);
}

// Of values that are as many as pairs, too many to list them: the one with so many below it, by how
// many are not above a given one.
template <class Values>
double nth_of(const Values& values, size_t n) {
  uint64_t low = order_of(-std::numeric_limits<double>::infinity()),
           high = order_of(std::numeric_limits<double>::infinity());
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (values.not_above(value_at(middle)) > n)
      high = middle;
    else
      low = middle + 1;
  }
  return value_at(low);
}

// Beside 0, or what is infinitely more, the other one tells: of 0 and 1 the middle is a half, and
// of their reciprocals 2.
template <class Values>
double middle_of(const Values& values) {
  const size_t half = values.count() / 2;
  const double above = nth_of(values, half);
  if (values.count() % 2 == 1) return above;
  const double below = nth_of(values, half - 1);
  if (std::isinf(below) == std::isinf(above)) return mean_of(below, above);
  return std::isinf(below) ? above - std::numbers::ln2 : below + std::numbers::ln2;
}

// The means of every two figures, each with itself too.
class WalshAverages {
 public:
  explicit WalshAverages(std::vector<double> values) : values_(std::move(values)) {
    std::ranges::sort(values_);
  }

  size_t count() const { return values_.size() * (values_.size() + 1) / 2; }

  size_t not_above(double most) const {
    size_t count = 0, end = values_.size();
    for (size_t i = 0; i < end; ++i) {
      while (end > i && mean_of(values_[i], values_[end - 1]) > most) --end;
      count += end - i;
    }
    return count;
  }

 private:
  std::vector<double> values_;  // lowest first
};

// The differences of each of `b` from each of `a`.
class Differences {
 public:
  Differences(std::vector<double> a, std::vector<double> b) : a_(std::move(a)), b_(std::move(b)) {
    std::ranges::sort(a_);
    std::ranges::sort(b_);
  }

  size_t count() const { return a_.size() * b_.size(); }
  // Of the test of Mann and Whitney: in how many the first one is ahead, and half of the equal
  // ones.
  double u() const {
    const size_t below = not_above(-std::numeric_limits<double>::denorm_min());
    return double(below + not_above(0)) / 2;
  }

  size_t not_above(double most) const {
    size_t count = 0, begin = 0;
    for (const double y : b_) {
      while (begin < a_.size() && (a_[begin] == y ? 0 : y - a_[begin]) > most) ++begin;
      count += a_.size() - begin;
    }
    return count;
  }

 private:
  std::vector<double> a_, b_;  // lowest first
};

// How likely the sums of a test are if both sides are alike: exact for a few figures. Of many the
// table would be too large, and the sums are normally distributed.
class SumChances {
 public:
  explicit SumChances(const std::vector<double>& of_each) : sums_(of_each.size()) {
    std::partial_sum(of_each.begin(), of_each.end(), std::back_inserter(exact_));
  }
  SumChances(size_t most, double deviation) : sums_(most + 1), deviation_(deviation) {}

  // This sum, or a smaller one.
  double up_to(size_t sum) const {
    if (!exact_.empty()) return exact_[std::min(sum, sums_ - 1)];
    const double below = double(sums_ - 1) / 2 - double(sum) - 0.5;
    return std::erfc(below / (deviation_ * std::numbers::sqrt2)) / 2;
  }

  // The smallest sums that are at most so likely together: how many.
  size_t within(double chance) const {
    size_t low = 0, high = sums_;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (up_to(middle) <= chance)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  size_t sums_;
  std::vector<double> exact_;
  double deviation_ = 0;
};

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

SumChances rank_sum_chances(size_t pairs) {
  constexpr size_t kMany = 100;
  if (pairs <= kMany) return SumChances(rank_sum_probabilities(pairs));
  const auto n = double(pairs);
  return {pairs * (pairs + 1) / 2, std::sqrt(n * (n + 1) * (2 * n + 1) / 24)};
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
  const double far = std::max(sums.positive, sums.all - sums.positive);
  const auto as_far = static_cast<size_t>(sums.all - std::floor(far));  // on the other side
  return std::max(0.0, 1 - 2 * rank_sum_chances(sums.pairs).up_to(as_far));
}

// The Walsh averages that bound the median: those that a test at this level would
// not reject.
void set_interval(const WalshAverages& averages, size_t pairs, double level,
                  PairedComparison& found) {
  const SumChances chances = rank_sum_chances(pairs);
  const size_t within = std::min(chances.within((1 - level) / 2), averages.count() / 2);
  const size_t outside = std::max<size_t>(within, 1) - 1;
  found.low = std::exp(nth_of(averages, outside));
  found.high = std::exp(nth_of(averages, averages.count() - 1 - outside));
  found.level = std::min(level, 1 - 2 * chances.up_to(outside));
}

PairedComparison compare_logs(std::vector<double> logs, double level) {
  PairedComparison found;
  found.pairs = logs.size();
  if (logs.empty()) return found;
  found.confidence = confidence_of(rank_sums(logs));
  const WalshAverages averages(std::move(logs));
  found.ratio = std::exp(middle_of(averages));
  set_interval(averages, found.pairs, level, found);
  return found;
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

SumChances u_chances(size_t m, size_t n) {
  constexpr size_t kManyPairs = 2'500;
  if (m * n <= kManyPairs) return SumChances(u_probabilities(m, n));
  return {m * n, std::sqrt(double(m * n) * double(m + n + 1) / 12)};
}

// Of 0 it is below all others.
std::vector<double> logs_of_rates(std::span<const double> rates) {
  std::vector<double> logs;
  for (const double rate : rates) logs.push_back(std::log(rate));
  return logs;
}

}  // namespace

UnpairedComparison compare_unpaired(std::span<const double> a, std::span<const double> b,
                                    double level) {
  UnpairedComparison found;
  if (a.empty() || b.empty()) return found;
  const Differences between(logs_of_rates(a), logs_of_rates(b));
  found.ratio = std::exp(middle_of(between));
  const double u = between.u(), far = std::min(u, double(between.count()) - u);
  const SumChances chances = u_chances(a.size(), b.size());
  found.chance = std::min(1.0, 2 * chances.up_to(static_cast<size_t>(far)));
  const size_t outside = chances.within((1 - level) / 2);  // of the differences, on either side
  if (outside == 0) return found;
  found.low = std::exp(nth_of(between, outside - 1));
  found.high = std::exp(nth_of(between, between.count() - outside));
  found.is_known = true;
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
  std::vector<double> logs = logs_of(ratios);
  if (logs.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::exp(middle_of(WalshAverages(std::move(logs))));
}

PairedComparison compare_ratios(std::span<const double> ratios, double level) {
  return compare_logs(logs_of(ratios), level);
}

PairedComparison compare_paired(std::span<const double> a, std::span<const double> b, double level,
                                Zeros zeros) {
  std::vector<double> logs;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (zeros == Zeros::slowest || (a[i] > 0 && b[i] > 0))
      logs.push_back(a[i] == b[i] ? 0 : std::log(a[i] / b[i]));
  return compare_logs(std::move(logs), level);
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
