// The remaining time of an experiment, from the duration of its runs so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/reading.h"

namespace pipetop {

// Runs of the same kind take about the same time; another kind may take sixty times
// as long to move the same bytes.
class TimeLeft {
 public:
  // `expected_ns` is used for every run until one was timed; 0: unknown.
  TimeLeft(size_t kinds, uint64_t expected_ns) : taken_(kinds), expected_ns_(expected_ns) {}

  void add(size_t kind, uint64_t ns);

  // For the remaining runs, counted by kind.
  Reading<uint64_t> of(std::span<const uint32_t> runs) const;

 private:
  struct Taken {
    uint64_t ns = 0;
    uint32_t runs = 0;
  };
  double mean_ns(const Taken& taken) const { return double(taken.ns) / double(taken.runs); }
  double mean_of_known() const;

  std::vector<Taken> taken_;
  uint64_t expected_ns_;
};

}  // namespace pipetop
