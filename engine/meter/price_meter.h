// What the sampler's ticks cost on this very pipe: its rates in the slices in which it ticks often,
// and between them.
#pragma once

#include <array>
#include <cstdint>

#include "engine/base/reading.h"
#include "engine/model/counts.h"

namespace pipetop {

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

  // The share of the rate between the slices that is lost over all. It can be negative.
  Reading<double> price() const;
  // In units of so many items per second.
  Reading<double> unobserved(double unit) const;

 private:
  const Progress& of(When when) const { return sums_[static_cast<size_t>(when)]; }

  Progress last_;
  When when_ = When::neither;
  std::array<Progress, 3> sums_;  // by When
  uint32_t slices_ = 0;           // that have ended
};

}  // namespace pipetop
