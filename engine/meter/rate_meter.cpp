#include "engine/meter/rate_meter.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/base/clock.h"
#include "engine/meter/statistics.h"

namespace pipetop {
namespace {

// About 100 ms: a tick that is slightly early must not make it twice as long.
constexpr uint64_t kShortest = 90 * kMs;
// Measured by the workload's clock, so that a rate is not computed from an instant.
constexpr uint64_t kLeastClock = 20 * kMs;
constexpr uint64_t kHistory = 310'000 * kMs;
// What is left of the old technique in the ring and the caches must not count for
// the new one.
constexpr uint64_t kSettle = 200 * kMs;
// A clock that has stopped for this long will not continue soon: nothing is being
// done.
constexpr uint64_t kStandsStill = 5'000 * kMs;

// Others that still use the full segment keep their own copy.
template <class Edit>
void thin_out(std::shared_ptr<const Segment>& kept, Edit edit) {
  auto thinner = std::make_shared<Segment>(*kept);
  for (SegmentRole& role : thinner->roles) edit(role);
  for (SegmentRole& stage : thinner->stages) edit(stage);
  kept = std::move(thinner);
}

void drop_trees(SegmentRole& role) {
  if (role.functions.has_value()) role.functions.value->tree = flat_tree(role.functions->rows());
  if (role.blocked.has_value())
    role.blocked = Reading<BlockedTable>::unavailable(
        fmt::format("only the last {} segments keep their call trees", SegmentLog::kWithTrees));
}

void drop_table(SegmentRole& role) {
  if (!role.functions.has_value()) return;
  role.functions = Reading<FunctionTable>::unavailable(
      fmt::format("only the last {} segments keep their functions; --segments FILE has them all",
                  SegmentLog::kWithFunctions));
}

constexpr size_t kEnoughSlices = 6;  // fewer say more about the pipe's own ups and downs
constexpr size_t kMostSlices = 60;   // comparing takes the square of it

}  // namespace

Reading<double> rate_between(const Progress& first, const Progress& last, double unit) {
  if (last.clock_ns <= first.clock_ns) return Reading<double>::warming(kNoInterval);
  const double seconds = double(last.clock_ns - first.clock_ns) / 1e9;
  return Reading<double>::of(double(last.items - first.items) / unit / seconds);
}

RateStats rate_stats(const std::vector<double>& sorted, double mean,
                     std::span<const double> in_order) {
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
  stats.plus_minus = plus_minus(in_order);
  return stats;
}

double RateWindow::rate_of(const Progress& progress) const {
  if (progress.clock_ns == 0) return 0;
  return double(progress.items) / unit_ / (double(progress.clock_ns) / 1e9);
}

void RateWindow::add(uint64_t ns, const Progress& progress) {
  sum_ = sum_ + progress;
  if (added_++ % stride_ != 0) return;
  const double rate = rate_of(progress);
  sorted_.insert(std::ranges::upper_bound(sorted_, rate), rate);
  intervals_.push_back({ns, progress});
  ns_ += ns;
  if (when_full_ == WhenFull::forget)
    forget();
  else if (ns_ >= 2 * window_ns_)
    thin();
}

void RateWindow::forget() {
  while (ns_ - intervals_.front().ns >= window_ns_) {
    const Interval& oldest = intervals_.front();
    sorted_.erase(std::ranges::lower_bound(sorted_, rate_of(oldest.progress)));
    ns_ -= oldest.ns;
    sum_ = sum_ - oldest.progress;
    intervals_.pop_front();
  }
}

void RateWindow::thin() {
  for (size_t i = 1; 2 * i < intervals_.size(); ++i) intervals_[i] = intervals_[2 * i];
  intervals_.resize((intervals_.size() + 1) / 2);
  stride_ *= 2;
  sorted_.clear();
  ns_ = 0;
  for (const Interval& kept : intervals_) {
    sorted_.push_back(rate_of(kept.progress));
    ns_ += kept.ns;
  }
  std::ranges::sort(sorted_);
}

Reading<double> RateWindow::rate(const char* why_none) const {
  return intervals_.empty() ? Reading<double>::warming(why_none)
                            : Reading<double>::of(rate_of(sum_));
}

Reading<RateStats> RateWindow::stats(const char* why_none) const {
  if (intervals_.empty()) return Reading<RateStats>::warming(why_none);
  std::vector<double> in_order;
  for (const Interval& interval : intervals_) in_order.push_back(rate_of(interval.progress));
  return Reading<RateStats>::of(rate_stats(sorted_, rate_of(sum_), in_order));
}

RateMeter::RateMeter(uint64_t now_ns, double unit)
    : last_ns_(now_ns),
      over_100ms_(kShortest, unit),
      over_1s_(1000 * kMs, unit),
      over_10s_(10'000 * kMs, unit),
      over_segment_(kHistory, unit, WhenFull::thin) {
  segment_.begin_ns = now_ns;
}

void RateMeter::add(uint64_t now_ns, const Progress& total) {
  if (now_ns < last_ns_ + kShortest) return;
  Progress since = total - last_;
  // The workload's own clock may stop while nothing that counts is done.
  if (since.clock_ns < kLeastClock && now_ns < last_ns_ + kStandsStill) return;
  if (since.clock_ns < kLeastClock) since.clock_ns = now_ns - last_ns_;
  const bool counts = counts_from_ns_ && last_ns_ >= *counts_from_ns_;
  for (RateWindow* window : {&over_100ms_, &over_1s_}) window->add(now_ns - last_ns_, since);
  if (counts)
    for (RateWindow* window : {&over_10s_, &over_segment_}) window->add(now_ns - last_ns_, since);
  history_.push_back({now_ns, *over_100ms_.rate("")});
  while (history_.front().at_ns + kHistory < now_ns) history_.pop_front();
  while (!marks_.empty() && marks_.front().at_ns + kHistory < now_ns) marks_.pop_front();
  last_ns_ = now_ns;
  last_ = total;
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
  count_from({});
}

void RateMeter::settled(uint64_t now_ns) { count_from(now_ns + kSettle); }

void RateMeter::count_at_once(uint64_t now_ns, const Progress& total) {
  count_from(now_ns);
  last_ns_ = now_ns;
  last_ = total;
}

// A mean across a change is meaningless.
void RateMeter::count_from(std::optional<uint64_t> at_ns) {
  counts_from_ns_ = at_ns;
  over_10s_.clear();
  over_segment_.clear();
}

void RateMeter::skip(uint64_t from_ns, uint64_t to_ns, const Progress& total) {
  segment_skipped_ns_ += to_ns - from_ns;
  last_ns_ = to_ns;
  last_ = total;
}

Segment RateMeter::segment(uint64_t now_ns, const Progress& total) const {
  Segment segment = segment_;
  segment.duration_ns = now_ns - segment.begin_ns - segment_skipped_ns_;
  segment.items = total.items - segment_begin_count_;
  segment.rate = over_segment_.stats("too short to measure its rate");
  return segment;
}

Throughput RateMeter::view(uint64_t now_ns, const Progress& total) const {
  Throughput view;
  view.over_100ms = over_100ms_.rate(kNoInterval);
  view.over_1s = over_1s_.rate(kNoInterval);
  view.over_10s = over_10s_.stats("settling");
  view.history = history_;
  view.marks.assign(marks_.begin(), marks_.end());
  view.current = segment(now_ns, total);
  view.total_items = total.items;
  view.clock_ns = total.clock_ns;
  return view;
}

void SegmentLog::add(Segment closed) {
  closed_.push_back(std::make_shared<const Segment>(std::move(closed)));
  const size_t count = closed_.size();
  if (count > kWithTrees) thin_out(closed_[count - kWithTrees - 1], drop_trees);
  if (count > kWithFunctions) thin_out(closed_[count - kWithFunctions - 1], drop_table);
  if (count > kKept) closed_.pop_front();
}

void SegmentLog::describe(Throughput& view) const {
  view.segments.assign(closed_.begin(), closed_.end());
  view.previous = closed_.empty() ? nullptr : closed_.back();
}

void PriceMeter::add(const Progress& total, When from_now_on) {
  Progress& sum = sums_[static_cast<size_t>(when_)];
  sum = sum + (total - std::exchange(last_, total));
  if (when_ == When::observed && from_now_on == When::unobserved) end_slice();
  when_ = from_now_on;
}

void PriceMeter::end_slice() {
  const auto rate = [&](When when) {
    const auto i = static_cast<size_t>(when);
    return rate_between(before_[i], sums_[i], 1);
  };
  const Reading<double> with = rate(When::observed), without = rate(When::unobserved);
  before_ = sums_;
  if (!with.has_value() || !without.has_value() || *with <= 0 || *without <= 0) return;
  ratios_.push_back(*with / *without);
  if (ratios_.size() > kMostSlices) ratios_.pop_front();
  compared_ = compare_ratios(std::vector(ratios_.begin(), ratios_.end()));
}

Reading<Price> PriceMeter::price() const {
  if (ratios_.size() < kEnoughSlices) return Reading<Price>::warming("measuring, for some seconds");
  const auto observed_ns = double(of(When::observed).clock_ns);
  const double share = observed_ns / (observed_ns + double(of(When::unobserved).clock_ns));
  return Reading<Price>::of(
      {share * (1 - compared_.ratio), share * (1 - compared_.high), share * (1 - compared_.low)});
}

Reading<double> PriceMeter::between_ticks(double unit) const {
  if (ratios_.size() < kEnoughSlices)
    return Reading<double>::warming("measuring, for some seconds");
  return rate_between({}, of(When::unobserved), unit);
}

}  // namespace pipetop
