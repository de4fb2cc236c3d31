// The parallel time of several processes, derived from the sum of their times: rules divided by it
// are the combined rate.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pipetop::percpu {

class ParallelClock {
 public:
  // From now on this many processes add to the sum.
  void share(int processes, uint64_t sum_ns) {
    if (processes == processes_) return;
    shown_ns_ = at(sum_ns);
    from_ns_ = sum_ns;
    processes_ = processes;
  }

  // Never decreases, like `sum_ns`.
  uint64_t at(uint64_t sum_ns) const {
    return shown_ns_ + (sum_ns - from_ns_) / static_cast<uint64_t>(std::max(1, processes_));
  }

 private:
  uint64_t shown_ns_ = 0;  // when the number last changed
  uint64_t from_ns_ = 0;   // the sum then
  int processes_ = 1;
};

}  // namespace pipetop::percpu
