#include "engine/meter/rate_window.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/meter/statistics.h"

namespace pipetop {

RateStats rate_stats(const std::vector<double>& sorted, double mean) {
  RateStats stats;
  stats.samples = static_cast<uint32_t>(sorted.size());
  if (sorted.empty()) return stats;
  stats.median = quantile_of_sorted(sorted, 0.5);
  stats.min = sorted.front();
  stats.max = sorted.back();
  stats.mean = mean;
  const double centre = std::accumulate(sorted.begin(), sorted.end(), 0.0) / double(sorted.size());
  double squares = 0;
  for (const double rate : sorted) squares += (rate - centre) * (rate - centre);
  if (sorted.size() > 1) stats.stddev = std::sqrt(squares / double(sorted.size() - 1));
  return stats;
}

double RateWindow::rate_of(const Progress& progress) const {
  if (progress.clock_ns == 0) return 0;
  return double(progress.items) / unit_ / (double(progress.clock_ns) / 1e9);
}

void RateWindow::add(uint64_t ns, const Progress& progress) {
  const double rate = rate_of(progress);
  sorted_.insert(std::ranges::upper_bound(sorted_, rate), rate);
  intervals_.push_back({ns, progress});
  ns_ += ns;
  sum_ = sum_ + progress;
  while (ns_ - intervals_.front().ns >= window_ns_) {
    const Interval& oldest = intervals_.front();
    sorted_.erase(std::ranges::lower_bound(sorted_, rate_of(oldest.progress)));
    ns_ -= oldest.ns;
    sum_ = sum_ - oldest.progress;
    intervals_.pop_front();
  }
}

void RateWindow::clear() {
  intervals_.clear();
  sorted_.clear();
  ns_ = 0;
  sum_ = {};
}

Reading<double> RateWindow::rate(const char* why_none) const {
  return intervals_.empty() ? Reading<double>::warming(why_none)
                            : Reading<double>::of(rate_of(sum_));
}

Reading<RateStats> RateWindow::stats(const char* why_none) const {
  return intervals_.empty() ? Reading<RateStats>::warming(why_none)
                            : Reading<RateStats>::of(rate_stats(sorted_, rate_of(sum_)));
}

}  // namespace pipetop
