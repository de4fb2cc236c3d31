// What the reader found in stamped pages, as totals and as rates over about a second.
#pragma once

#include <cstdint>
#include <deque>

#include "engine/model/control_block.h"
#include "engine/model/snapshot.h"

namespace pipetop {

// What one reader has found so far; rates are not set.
Integrity totals_of(const WorkerIntegrity& found);

class IntegrityMeter {
 public:
  // Cheap when called more often than it keeps samples.
  void sample(uint64_t now_ns, const Integrity& totals);

  // Rates begin anew: the settings changed.
  void restart() { samples_.clear(); }

  // A rate without a page to judge by is not 0 but unknown.
  Integrity describe(const Integrity& totals) const;

 private:
  struct Sample {
    uint64_t at_ns = 0;
    Integrity totals;
  };
  std::deque<Sample> samples_;  // within the last second
};

}  // namespace pipetop
