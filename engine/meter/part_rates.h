// The rates of several parts, over about a second.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/model/counts.h"
#include "engine/model/snapshot.h"

namespace pipetop {

class PartRates {
 public:
  // `unit`: this many items per second are 1.
  explicit PartRates(double unit) : unit_(unit) {}

  // Cheap if called more often than it keeps samples.
  void sample(uint64_t now_ns, std::span<const PartProgress> parts);

  // The CPUs are not set.
  std::vector<PartView> describe(std::span<const PartProgress> parts) const;

 private:
  struct Sample {
    uint64_t at_ns = 0;
    Progress progress;
  };
  Reading<double> rate(const std::deque<Sample>& samples) const;

  double unit_;
  uint64_t sampled_at_ns_ = 0;
  std::map<std::string, std::deque<Sample>> samples_;  // by name; within the last second
};

}  // namespace pipetop
