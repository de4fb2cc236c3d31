// Holds the last ring frame that was read whole, to be shown in place of a torn
// one for a moment: what is drawn was true, and does not flicker.
#pragma once

#include "engine/snapshot.h"

namespace pipetop::tui {

class WholeFrames {
 public:
  // Replaces a torn frame of `ring` by the last whole one, if that is recent and
  // of the same size; keeps a whole one.
  void steady(RingView& ring);

 private:
  RingFrame last_;
};

}  // namespace pipetop::tui
