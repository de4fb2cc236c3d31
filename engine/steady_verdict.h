// A verdict that is stable enough to read.
#pragma once

#include <cstdint>

#include "engine/base/reading.h"
#include "engine/model/snapshot.h"

namespace pipetop {

class SteadyVerdict {
 public:
  // A verdict is replaced only when something else (another one, or none) was
  // judged without a break for this long.
  static constexpr uint64_t kHoldNs = 1'000'000'000;

  void add(uint64_t now_ns, Reading<Verdict> judged);
  const Reading<Verdict>& shown() const { return shown_; }

  // The settings changed: earlier judgements do not apply.
  void restart();

 private:
  Reading<Verdict> shown_ = Reading<Verdict>::warming("no verdict yet");
  Reading<Verdict> rival_;
  uint64_t rival_since_ns_ = 0;  // 0: there is none
};

}  // namespace pipetop
