// The rates of the newest intervals, and the total count.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/model/counts.h"
#include "engine/model/segment.h"

namespace pipetop {

// `sorted` rates, lowest first; without any, all zeros and 0 samples.
RateStats rate_stats(const std::vector<double>& sorted, double mean);

class RateWindow {
 public:
  // Keeps the intervals of the last `window_ns`. `unit`: this many things per second are 1.
  RateWindow(uint64_t window_ns, double unit) : window_ns_(window_ns), unit_(unit) {}

  void add(uint64_t ns, const Progress& progress);
  void clear();

  Reading<double> rate(const char* why_none) const;
  Reading<RateStats> stats(const char* why_none) const;

 private:
  struct Interval {
    uint64_t ns;
    Progress progress;
  };
  double rate_of(const Progress& progress) const;

  uint64_t window_ns_;
  double unit_;
  std::deque<Interval> intervals_;  // oldest first
  std::vector<double> sorted_;      // their rates
  uint64_t ns_ = 0;
  Progress sum_;
};

}  // namespace pipetop
