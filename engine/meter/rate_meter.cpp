#include "engine/meter/rate_meter.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace pipetop {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kTick = 100 * kMs;
constexpr uint64_t kHistory = 310'000 * kMs;
// What the ring and the caches still hold of the old technique is not the new
// one's rate.
constexpr uint64_t kSettle = 200 * kMs;

double gib_per_s_of(uint64_t bytes, uint64_t ns) {
  return ns == 0 ? 0.0 : double(bytes) / kGiB / (double(ns) / 1e9);
}

}  // namespace

RateStats rate_stats(std::span<const double> rates, double mean) {
  RateStats stats;
  stats.samples = static_cast<uint32_t>(rates.size());
  if (rates.empty()) return stats;
  std::vector<double> sorted(rates.begin(), rates.end());
  std::ranges::sort(sorted);
  const size_t middle = sorted.size() / 2;
  stats.median = sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  stats.min = sorted.front();
  stats.max = sorted.back();
  stats.mean = mean;
  const double centre = std::accumulate(sorted.begin(), sorted.end(), 0.0) / double(sorted.size());
  double squares = 0;
  for (const double rate : sorted) squares += (rate - centre) * (rate - centre);
  if (sorted.size() > 1) stats.stddev = std::sqrt(squares / double(sorted.size() - 1));
  return stats;
}

double RateMeter::Tick::gib_per_s() const { return gib_per_s_of(bytes, end_ns - begin_ns); }

RateMeter::RateMeter(uint64_t now_ns) : last_ns_(now_ns) { segment_.begin_ns = now_ns; }

void RateMeter::add(uint64_t now_ns, uint64_t total_bytes) {
  if (now_ns < last_ns_ + kTick) return;
  ticks_.push_back({last_ns_, now_ns, total_bytes - last_bytes_});
  last_ns_ = now_ns;
  last_bytes_ = total_bytes;
  while (ticks_.front().end_ns + kHistory < now_ns) ticks_.pop_front();
  while (!marks_.empty() && marks_.front().at_ns + kHistory < now_ns) marks_.pop_front();
}

void RateMeter::begin_segment(uint64_t now_ns, uint64_t total_bytes, std::string label,
                              std::string key, const Settings& requested) {
  if (has_segment()) marks_.push_back({now_ns, key});
  const uint32_t number = segment_.number + 1;
  segment_ = {};
  segment_.number = number;
  segment_.label = std::move(label);
  segment_.key = std::move(key);
  segment_.requested = requested;
  segment_.begin_ns = now_ns;
  segment_begin_bytes_ = total_bytes;
  segment_skipped_ns_ = 0;
  counts_from_ns_.reset();
}

void RateMeter::settled(uint64_t now_ns) { counts_from_ns_ = now_ns + kSettle; }

void RateMeter::skip(uint64_t from_ns, uint64_t to_ns, uint64_t total_bytes) {
  segment_skipped_ns_ += to_ns - from_ns;
  last_ns_ = to_ns;
  last_bytes_ = total_bytes;
}

bool RateMeter::counts(const Tick& tick) const {
  return counts_from_ns_ && tick.begin_ns >= *counts_from_ns_;
}

Segment RateMeter::segment(uint64_t now_ns, uint64_t total_bytes) const {
  Segment segment = segment_;
  segment.duration_ns = now_ns - segment.begin_ns - segment_skipped_ns_;
  segment.bytes = total_bytes - segment_begin_bytes_;
  std::vector<double> rates;
  uint64_t bytes = 0, ns = 0;
  for (auto tick = ticks_.rbegin(); tick != ticks_.rend() && counts(*tick); ++tick) {
    rates.push_back(tick->gib_per_s());
    bytes += tick->bytes;
    ns += tick->end_ns - tick->begin_ns;
  }
  segment.rate = rates.empty() ? Reading<RateStats>::warming("too short to tell its rate")
                               : Reading<RateStats>::of(rate_stats(rates, gib_per_s_of(bytes, ns)));
  return segment;
}

Reading<double> RateMeter::rate_over(uint64_t window_ns) const {
  uint64_t bytes = 0, ns = 0;
  for (auto tick = ticks_.rbegin(); tick != ticks_.rend() && ns < window_ns; ++tick) {
    bytes += tick->bytes;
    ns += tick->end_ns - tick->begin_ns;
  }
  if (ns == 0) return Reading<double>::warming("no interval measured yet");
  return Reading<double>::of(gib_per_s_of(bytes, ns));
}

// Within the present segment: a mean across a change is nobody's rate.
Reading<RateStats> RateMeter::stats_over(uint64_t window_ns) const {
  std::vector<double> rates;
  uint64_t bytes = 0, ns = 0;
  for (auto tick = ticks_.rbegin(); tick != ticks_.rend() && ns < window_ns; ++tick) {
    if (!counts(*tick)) break;
    rates.push_back(tick->gib_per_s());
    bytes += tick->bytes;
    ns += tick->end_ns - tick->begin_ns;
  }
  if (rates.empty()) return Reading<RateStats>::warming("settling");
  return Reading<RateStats>::of(rate_stats(rates, gib_per_s_of(bytes, ns)));
}

Throughput RateMeter::view(uint64_t now_ns, uint64_t total_bytes) const {
  Throughput view;
  view.over_100ms = rate_over(kTick);
  view.over_1s = rate_over(1000 * kMs);
  view.over_10s = stats_over(10'000 * kMs);
  view.history.reserve(ticks_.size());
  for (const Tick& tick : ticks_) view.history.push_back({tick.end_ns, tick.gib_per_s()});
  view.marks.assign(marks_.begin(), marks_.end());
  view.current = segment(now_ns, total_bytes);
  view.total_bytes = total_bytes;
  return view;
}

}  // namespace pipetop
