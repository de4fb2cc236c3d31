// The share of CPU time that the host stole, over a few seconds.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "engine/base/reading.h"
#include "engine/host/host.h"

namespace pipetop {

class StealMeter {
 public:
  // Reads /proc/stat at most once a second.
  void sample(uint64_t now_ns);
  Reading<double> share() const;

 private:
  std::deque<std::pair<uint64_t, CpuTimes>> samples_;
};

}  // namespace pipetop
