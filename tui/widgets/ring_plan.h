// Which pieces the ring panel has room for, and where: arithmetic only, which
// drawing, clicks and keys share.
#pragma once

#include "engine/model/ring_view.h"
#include "tui/state/ring_state.h"
#include "tui/widgets/slot_strip.h"
#include "tui/widgets/slow_motion.h"

namespace pipetop::tui {

struct RingPlan {
  // First rows in the panel; below 0: left out. The summary is row 0.
  int markers = -1, strip = -1, legend = -1, detail = -1, picture = -1, verdict = -1;
  int detail_rows = 0, picture_rows = 0;
  StripLook look;
};

// Below it the verdict has its place elsewhere.
constexpr bool has_verdict_row(int rows) { return rows >= 8; }

RingPlan ring_plan(int rows, int cols, uint32_t slots, const RingState& state, Pace pace);

}  // namespace pipetop::tui
