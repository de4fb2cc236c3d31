// How a worker's wall time divides over a segment: on a CPU, waiting for one, or
// blocked.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/reading.h"

namespace pipetop {

// Totals of a process; the rest of its life it was blocked.
struct RunTimes {
  uint64_t on_cpu_ns = 0;
  uint64_t runnable_ns = 0;
};

// Sums up the stretches between begin() and pause(): between them the worker was
// suspended, or had no process. Totals that cannot be had make a stretch unknown.
class TimeShares {
 public:
  // Nothing has counted yet.
  void clear() { *this = {}; }

  void begin(uint64_t now_ns, const std::optional<RunTimes>& totals);
  void pause(uint64_t now_ns, const std::optional<RunTimes>& totals);

  // A stretch is under way of whose beginning the totals are not known.
  bool begun_unknown() const { return running_ && !running_->totals; }

  struct Shares {
    Reading<double> on_cpu, runnable, blocked;  // of the wall time
  };
  // As if it ended now.
  Shares shares(uint64_t now_ns, const std::optional<RunTimes>& totals) const;

 private:
  struct Stretch {
    uint64_t begin_ns;
    std::optional<RunTimes> totals;
  };

  std::optional<Stretch> running_;
  RunTimes sum_;
  uint64_t wall_ns_ = 0;
  bool unknown_ = false;
};

}  // namespace pipetop
