// The rate of a workload over time: rolling windows, history, the current segment, and the closed
// ones; and what observing costs of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/reading.h"
#include "engine/meter/statistics.h"
#include "engine/model/counts.h"
#include "engine/model/functions.h"
#include "engine/model/segment.h"
#include "engine/model/snapshot.h"

namespace pipetop {

inline constexpr const char* kNoInterval = "no interval measured yet";

// In units of this many items per second; unknown if nothing was timed in between.
Reading<double> rate_between(const Progress& first, const Progress& last, double unit);

// `sorted` rates, lowest first; without any, all zeros and 0 samples. `in_order`: as measured.
RateStats rate_stats(const std::vector<double>& sorted, double mean,
                     std::span<const double> in_order);

// What a RateWindow does with more intervals than it has room for.
enum class WhenFull : uint8_t {
  forget,  // the oldest: a rolling window
  thin,    // every second, and count only every second from then on: all since clear()
};

// The rates of intervals, and the mean of all time in the window.
class RateWindow {
 public:
  // Has room for the intervals of `window_ns`. `unit`: this many things per second are 1.
  RateWindow(uint64_t window_ns, double unit, WhenFull when_full = WhenFull::forget)
      : window_ns_(window_ns), unit_(unit), when_full_(when_full) {}

  void add(uint64_t ns, const Progress& progress);
  void clear() { *this = RateWindow(window_ns_, unit_, when_full_); }

  Reading<double> rate(const char* why_none) const;
  Reading<RateStats> stats(const char* why_none) const;

 private:
  struct Interval {
    uint64_t ns;
    Progress progress;
  };
  double rate_of(const Progress& progress) const;
  void forget();
  void thin();

  uint64_t window_ns_;
  double unit_;
  WhenFull when_full_;
  std::deque<Interval> intervals_;   // oldest first
  std::vector<double> sorted_;       // their rates
  uint64_t ns_ = 0;                  // of the intervals
  Progress sum_;                     // also of those that were thinned out
  uint64_t added_ = 0, stride_ = 1;  // one interval of `stride_` is kept
};

// Fed with cumulative progress. Rates are over measured intervals of about 100 ms,
// longer if updates come later or the progress's clock stops.
class RateMeter {
 public:
  // `unit`: this many items per second are 1.
  RateMeter(uint64_t now_ns, double unit);

  void add(uint64_t now_ns, const Progress& total);

  // Begins the next segment. Its rates count from some time after settled() has
  // reported its settings to be in effect.
  void begin_segment(uint64_t now_ns, const Progress& total, std::string label, std::string key,
                     const Settings& requested);
  void settled(uint64_t now_ns);
  // Instead of settled(): the settings were in effect before the segment began.
  void count_at_once(uint64_t now_ns, const Progress& total);

  bool has_segment() const { return segment_.number > 0; }

  // The current segment as if it ended now: number to rate.
  Segment segment(uint64_t now_ns, const Progress& total) const;

  // The time between the two was not measured (a suspended terminal).
  void skip(uint64_t from_ns, uint64_t to_ns, const Progress& total);

  // All but the closed segments.
  Throughput view(uint64_t now_ns, const Progress& total) const;

 private:
  void count_from(std::optional<uint64_t> at_ns);

  uint64_t last_ns_;
  Progress last_;
  RateWindow over_100ms_, over_1s_;
  RateWindow over_10s_, over_segment_;  // of the current segment, since it counts
  Series<RatePoint> history_;           // a little more than the last 5 minutes
  std::deque<ChangeMark> marks_;        // within the history
  Segment segment_;
  uint64_t segment_begin_count_ = 0;
  uint64_t segment_skipped_ns_ = 0;
  std::optional<uint64_t> counts_from_ns_;  // nothing: not settled yet
};

// The closed segments, as many as there is room for.
class SegmentLog {
 public:
  // An old segment keeps its figures. Its functions take most of the memory: first
  // the trees are dropped, then the tables.
  static constexpr size_t kKept = 200;
  static constexpr size_t kWithFunctions = 32;
  static constexpr size_t kWithTrees = 4;

  void add(Segment closed);

  // Fills in `previous` and `segments`.
  void describe(Throughput& view) const;

 private:
  std::deque<std::shared_ptr<const Segment>> closed_;  // oldest first
};

// What the sampler's ticks cost on this very pipe: its rates in the slices in which it ticks often,
// and between them.
class PriceMeter {
 public:
  enum class When : uint8_t { observed, unobserved, neither };

  // What has moved, cumulative, and how it goes on. The time since the last call belongs to what
  // was said then.
  void add(const Progress& total, When from_now_on);
  // The time since the last call does not count.
  void skip(const Progress& total) {
    when_ = When::neither;
    last_ = total;
  }
  void clear() { *this = {}; }

  // The share of the rate between the slices that is lost over all.
  Reading<Price> price() const;
  // In units of so many items per second.
  Reading<double> between_ticks(double unit) const;

 private:
  const Progress& of(When when) const { return sums_[static_cast<size_t>(when)]; }

  void end_slice();

  Progress last_;
  When when_ = When::neither;
  std::array<Progress, 3> sums_, before_;  // by When; before_: at the end of the last slice
  std::deque<double> ratios_;  // of the rate in a slice to that before it, of the newest slices
  PairedComparison compared_;  // of these
};

}  // namespace pipetop
