// When a look that costs CPU time is due again: the dearer it is, the more rarely.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "engine/base/clock.h"

namespace pipetop {

class Pace {
 public:
  // The next look waits for at least so many times what one costs.
  explicit Pace(uint64_t factor) : factor_(factor) {}

  bool is_due(uint64_t now_ns, uint64_t every_ns) const {
    constexpr uint64_t kTolerance_ns = kMs;  // of the caller's clock
    return at_ns_ == 0 || now_ns + kTolerance_ns >= at_ns_ + std::max(every_ns, factor_ * cost_ns_);
  }

  // Of the last two the cheaper one counts: what was there for a moment, such as a process with
  // thousands of threads, must not keep us from looking for seconds.
  void looked(uint64_t now_ns, uint64_t cost_ns) {
    at_ns_ = now_ns;
    cost_ns_ = std::min(cost_ns, before_ns_);
    before_ns_ = cost_ns;
  }

  // It failed, or is to be made at once.
  void failed(uint64_t now_ns) { at_ns_ = now_ns; }
  void hurry() { at_ns_ = 0; }

  uint64_t at_ns() const { return at_ns_; }  // the last one; 0: none, or it has to hurry

 private:
  uint64_t factor_;
  uint64_t at_ns_ = 0;
  uint64_t cost_ns_ = 0, before_ns_ = std::numeric_limits<uint64_t>::max();  // of a CPU
};

}  // namespace pipetop
