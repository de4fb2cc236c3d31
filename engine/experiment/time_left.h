// How long an experiment still takes, from how long its runs took so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/reading.h"

namespace pipetop {

// Runs of one kind take about as long as each other; those of another may take
// sixty times as long, when all move the same bytes.
class TimeLeft {
 public:
  // `expected_ns` is what any run takes while none was timed; 0: nobody knows.
  TimeLeft(size_t kinds, uint64_t expected_ns) : taken_(kinds), expected_ns_(expected_ns) {}

  void add(size_t kind, uint64_t ns);

  // Of so many runs to come, by kind.
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
