// The log of segments: the effect of every change, newest first, on top of the
// function lists, so that rate and ring stay visible.
#pragma once

#include "tui/draw/canvas.h"
#include "tui/state/view_state.h"

namespace pipetop::tui {

void draw_segment_log(Canvas& canvas, const Snapshot& snapshot, const ViewState& state);

// How far it can be scrolled on a screen of this size.
int log_scroll_end(int rows, int cols, const Snapshot& snapshot);

}  // namespace pipetop::tui
