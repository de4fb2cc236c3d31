// How a worker's wall time is divided in a segment: on CPU, runnable, or blocked.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/model/counts.h"

namespace pipetop {

// Sums up the intervals from begin() to pause(); outside of them the worker was suspended, or had
// no process. Of the totals only the on-CPU and runnable times are used: for the rest of the time
// it was blocked. Missing totals make an interval unknown.
class ShareMeter {
 public:
  // Nothing has counted yet.
  void clear() { *this = {}; }

  void begin(uint64_t now_ns, const std::optional<TaskTimes>& totals);
  void pause(uint64_t now_ns, const std::optional<TaskTimes>& totals);

  // The totals at the beginning of the current interval are unknown.
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
