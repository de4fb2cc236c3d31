// Holds the last ring frame that was read whole, to be shown in place of torn
// ones: what is drawn was true, and does not flicker.
#pragma once

#include "engine/model/snapshot.h"

namespace pipetop::tui {

class WholeFrames {
 public:
  // Replaces a torn frame of `ring` by the last whole one of the ring's present
  // size, if there is any; once that is no longer recent, the reading is stale.
  // Keeps a whole one.
  void steady(RingView& ring);

 private:
  RingFrame last_;
};

}  // namespace pipetop::tui
