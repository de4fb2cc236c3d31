// Bytes over time: rolling windows, history, and segments between changes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>

#include "engine/snapshot.h"

namespace pipetop {

// Sorts a copy; an empty span gives all zeros and 0 samples.
RateStats rate_stats(std::span<const double> gib_per_s, double mean);

// Fed with the reader's running byte count. Rates are over measured intervals of
// at least 100 ms, however irregular the feeding.
class RateMeter {
 public:
  explicit RateMeter(uint64_t now_ns);

  void add(uint64_t now_ns, uint64_t total_bytes);

  // Closes the current segment, if there is one, and begins another.
  void begin_segment(uint64_t now_ns, uint64_t total_bytes, std::string label, std::string key,
                     const Settings& requested);

  // The time up to now_ns was not measured (a suspended terminal).
  void skip_to(uint64_t now_ns, uint64_t total_bytes);

  Throughput view(uint64_t now_ns, uint64_t total_bytes) const;

 private:
  struct Tick {
    uint64_t begin_ns, end_ns, bytes;
    double gib_per_s() const;
  };
  Segment close(uint64_t now_ns, uint64_t total_bytes) const;
  Reading<double> rate_over(uint64_t window_ns) const;
  Reading<RateStats> stats_over(uint64_t window_ns) const;

  uint64_t last_ns_;
  uint64_t last_bytes_ = 0;
  std::deque<Tick> ticks_;        // the last 5 minutes and a little
  std::deque<ChangeMark> marks_;  // within the ticks
  Segment segment_;
  uint64_t segment_begin_bytes_ = 0;
  std::shared_ptr<const Segment> previous_;
};

}  // namespace pipetop
