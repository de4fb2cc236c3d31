// The time of a recording in one row: where it is, and where changes and scenes begin.
#pragma once

#include "tui/draw/canvas.h"
#include "tui/state/replay_state.h"

namespace pipetop::tui {

void draw_time_line(const Area& area, const ReplayState& replay);

}  // namespace pipetop::tui
