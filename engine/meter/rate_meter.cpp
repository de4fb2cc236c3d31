#include "engine/meter/rate_meter.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/base/clock.h"
#include "engine/meter/statistics.h"

namespace pipetop {
namespace {

constexpr uint64_t kTick = 100 * kMs;
// Of the workload's clock within a tick, lest a rate be of a moment.
constexpr uint64_t kLeastClock = 20 * kMs;
constexpr uint64_t kHistory = 310'000 * kMs;
// What the ring and the caches still hold of the old technique is not the new
// one's rate.
constexpr uint64_t kSettle = 200 * kMs;

// A clock that stands so long will not go on soon: nothing is done, and that takes
// time.
constexpr uint64_t kStandsStill = 5'000 * kMs;

Progress operator-(const Progress& a, const Progress& b) {
  return {a.items - b.items, a.clock_ns - b.clock_ns};
}

Progress operator+(const Progress& a, const Progress& b) {
  return {a.items + b.items, a.clock_ns + b.clock_ns};
}

}  // namespace

RateStats rate_stats(std::span<const double> rates, double mean) {
  RateStats stats;
  stats.samples = static_cast<uint32_t>(rates.size());
  if (rates.empty()) return stats;
  const Spread spread = spread_of({rates.begin(), rates.end()});
  stats.median = spread.median;
  stats.min = spread.least;
  stats.max = spread.most;
  stats.mean = mean;
  const double centre = std::accumulate(rates.begin(), rates.end(), 0.0) / double(rates.size());
  double squares = 0;
  for (const double rate : rates) squares += (rate - centre) * (rate - centre);
  if (rates.size() > 1) stats.stddev = std::sqrt(squares / double(rates.size() - 1));
  return stats;
}

double RateMeter::rate(const Progress& progress) const {
  if (progress.clock_ns == 0) return 0;
  return double(progress.items) / unit_ / (double(progress.clock_ns) / 1e9);
}

RateMeter::RateMeter(uint64_t now_ns, double unit) : unit_(unit), last_ns_(now_ns) {
  segment_.begin_ns = now_ns;
}

void RateMeter::add(uint64_t now_ns, const Progress& total) {
  if (now_ns < last_ns_ + kTick) return;
  Progress since = total - last_;
  // A clock of its own may stand for a while, when nothing of what counts is done.
  if (since.clock_ns < kLeastClock && now_ns < last_ns_ + kStandsStill) return;
  if (since.clock_ns < kLeastClock) since.clock_ns = now_ns - last_ns_;
  ticks_.push_back({last_ns_, now_ns, since});
  last_ns_ = now_ns;
  last_ = total;
  while (ticks_.front().end_ns + kHistory < now_ns) ticks_.pop_front();
  while (!marks_.empty() && marks_.front().at_ns + kHistory < now_ns) marks_.pop_front();
}

void RateMeter::begin_segment(uint64_t now_ns, const Progress& total, std::string label,
                              std::string key, const Settings& requested) {
  if (has_segment()) marks_.push_back({now_ns, key});
  const uint32_t number = segment_.number + 1;
  segment_ = {};
  segment_.number = number;
  segment_.label = std::move(label);
  segment_.key = std::move(key);
  segment_.requested = requested;
  segment_.begin_ns = now_ns;
  segment_begin_count_ = total.items;
  segment_skipped_ns_ = 0;
  counts_from_ns_.reset();
}

void RateMeter::settled(uint64_t now_ns) { counts_from_ns_ = now_ns + kSettle; }

void RateMeter::skip(uint64_t from_ns, uint64_t to_ns, const Progress& total) {
  segment_skipped_ns_ += to_ns - from_ns;
  last_ns_ = to_ns;
  last_ = total;
}

bool RateMeter::counts(const Tick& tick) const {
  return counts_from_ns_ && tick.begin_ns >= *counts_from_ns_;
}

Segment RateMeter::segment(uint64_t now_ns, const Progress& total) const {
  Segment segment = segment_;
  segment.duration_ns = now_ns - segment.begin_ns - segment_skipped_ns_;
  segment.items = total.items - segment_begin_count_;
  std::vector<double> rates;
  Progress sum;
  for (auto tick = ticks_.rbegin(); tick != ticks_.rend() && counts(*tick); ++tick) {
    rates.push_back(rate(tick->progress));
    sum = sum + tick->progress;
  }
  segment.rate = rates.empty() ? Reading<RateStats>::warming("too short to tell its rate")
                               : Reading<RateStats>::of(rate_stats(rates, rate(sum)));
  return segment;
}

Reading<double> RateMeter::rate_over(uint64_t window_ns) const {
  Progress sum;
  uint64_t ns = 0;
  for (auto tick = ticks_.rbegin(); tick != ticks_.rend() && ns < window_ns; ++tick) {
    sum = sum + tick->progress;
    ns += tick->end_ns - tick->begin_ns;
  }
  if (ns == 0) return Reading<double>::warming("no interval measured yet");
  return Reading<double>::of(rate(sum));
}

// Within the present segment: a mean across a change is nobody's rate.
Reading<RateStats> RateMeter::stats_over(uint64_t window_ns) const {
  std::vector<double> rates;
  Progress sum;
  uint64_t ns = 0;
  for (auto tick = ticks_.rbegin(); tick != ticks_.rend() && ns < window_ns; ++tick) {
    if (!counts(*tick)) break;
    rates.push_back(rate(tick->progress));
    sum = sum + tick->progress;
    ns += tick->end_ns - tick->begin_ns;
  }
  if (rates.empty()) return Reading<RateStats>::warming("settling");
  return Reading<RateStats>::of(rate_stats(rates, rate(sum)));
}

Throughput RateMeter::view(uint64_t now_ns, const Progress& total) const {
  Throughput view;
  view.over_100ms = rate_over(kTick);
  view.over_1s = rate_over(1000 * kMs);
  view.over_10s = stats_over(10'000 * kMs);
  view.history.reserve(ticks_.size());
  for (const Tick& tick : ticks_) view.history.push_back({tick.end_ns, rate(tick.progress)});
  view.marks.assign(marks_.begin(), marks_.end());
  view.current = segment(now_ns, total);
  view.total_items = total.items;
  view.clock_ns = total.clock_ns;
  return view;
}

}  // namespace pipetop
