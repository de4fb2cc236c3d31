// How a worker's wall time divides over a segment: on a CPU, waiting for one, or
// blocked.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/model/task_times.h"

namespace pipetop {

// Sums up the stretches between begin() and pause(): between them the worker was
// suspended, or had no process. Of the totals only the times on a CPU and runnable are
// used: for the rest of the time it was blocked. Totals that cannot be had make a stretch unknown.
class ShareMeter {
 public:
  // Nothing has counted yet.
  void clear() { *this = {}; }

  void begin(uint64_t now_ns, const std::optional<TaskTimes>& totals);
  void pause(uint64_t now_ns, const std::optional<TaskTimes>& totals);

  // A stretch is under way of whose beginning the totals are not known.
  bool begun_unknown() const { return running_ && !running_->totals; }

  // As if it ended now.
  TimeShares shares(uint64_t now_ns, const std::optional<TaskTimes>& totals) const;

 private:
  struct Stretch {
    uint64_t begin_ns;
    std::optional<TaskTimes> totals;
  };

  std::optional<Stretch> running_;
  TaskTimes sum_;
  uint64_t wall_ns_ = 0;
  bool unknown_ = false;
};

}  // namespace pipetop
