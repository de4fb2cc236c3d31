// A verdict that can be read: one that does not change with every look.
#pragma once

#include <cstdint>

#include "engine/base/reading.h"
#include "engine/model/snapshot.h"

namespace pipetop {

class SteadyVerdict {
 public:
  // A verdict goes only when something else, another one or none, was judged for
  // so long without a break.
  static constexpr uint64_t kHoldNs = 1'000'000'000;

  void add(uint64_t now_ns, Reading<Verdict> judged);
  const Reading<Verdict>& shown() const { return shown_; }

  // The settings changed: what was judged is of others.
  void restart();

 private:
  Reading<Verdict> shown_ = Reading<Verdict>::warming("no verdict yet");
  Reading<Verdict> rival_;
  uint64_t rival_since_ns_ = 0;  // 0: there is none
};

}  // namespace pipetop
