// The time that several processes take side by side, told from their sum: rules over
// it are the rate of all of them together.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pipetop::percpu {

class ParallelClock {
 public:
  // So many of them share what is added to the sum from now on.
  void share(int processes, uint64_t sum_ns) {
    if (processes == processes_) return;
    shown_ns_ = at(sum_ns);
    from_ns_ = sum_ns;
    processes_ = processes;
  }

  // Never goes back, as `sum_ns` does not.
  uint64_t at(uint64_t sum_ns) const {
    return shown_ns_ + (sum_ns - from_ns_) / static_cast<uint64_t>(std::max(1, processes_));
  }

 private:
  uint64_t shown_ns_ = 0;  // when the number last changed
  uint64_t from_ns_ = 0;   // the sum then
  int processes_ = 1;
};

}  // namespace pipetop::percpu
