// The log of segments: what every change was worth, newest first, over the function
// lists, so that rate and ring stay in sight.
#pragma once

#include "tui/draw/canvas.h"
#include "tui/state/reference.h"

namespace pipetop::tui {

// `reference`: marks the segment that was frozen as A.
void draw_segment_log(Canvas& canvas, const Snapshot& snapshot, const Reference& reference,
                      int scroll);

// How far it can be scrolled on a screen of this size.
int log_scroll_end(int rows, int cols, const Snapshot& snapshot);

}  // namespace pipetop::tui
