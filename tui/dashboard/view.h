// Composes a frame, from the snapshot and the user's choices. No terminal, no
// clock, no state.
#pragma once

#include "engine/model/snapshot.h"
#include "tui/dashboard/dashboard_state.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

struct PipelineState;

// Draws the whole canvas, whatever its size. The lists' rows come from the last
// show_lists(). `pipeline`: of our workers, where it is shown.
void draw(Canvas& canvas, const Snapshot& snapshot, const DashboardState& state,
          const PipelineState* pipeline = nullptr);

}  // namespace pipetop::tui
