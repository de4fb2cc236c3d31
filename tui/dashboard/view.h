// Composes a frame: everything that is on the screen, from what is known and
// what the person chose. No terminal, no clock, no state.
#pragma once

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/state/view_state.h"

namespace pipetop::tui {

// Draws over the whole canvas, of whatever size it is. The lists' rows are those of
// the last show_lists().
void draw(Canvas& canvas, const Snapshot& snapshot, const ViewState& state);

}  // namespace pipetop::tui
