// What the reader found in stamped pages: totals, and rates over about a second.
#pragma once

#include <cstdint>
#include <deque>

#include "engine/model/control_block.h"
#include "engine/model/snapshot.h"

namespace pipetop {

// One reader's totals; rates are not set.
Integrity totals_of(const WorkerIntegrity& found);

class IntegrityMeter {
 public:
  // Cheap if called more often than it keeps samples.
  void sample(uint64_t now_ns, const Integrity& totals);

  // Restarts the rates: the settings changed.
  void restart() { samples_.clear(); }

  // Without any pages a rate is unknown, not 0.
  Integrity describe(const Integrity& totals) const;

 private:
  struct Sample {
    uint64_t at_ns = 0;
    Integrity totals;
  };
  std::deque<Sample> samples_;  // within the last second
};

}  // namespace pipetop
