// The rate of a workload over time: rolling windows, history, and the current
// segment.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "engine/meter/rate_window.h"
#include "engine/model/counts.h"
#include "engine/model/snapshot.h"

namespace pipetop {

// Fed with cumulative progress. Rates are over measured intervals of at least 100
// ms of the progress's clock, however irregular the updates.
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

}  // namespace pipetop
