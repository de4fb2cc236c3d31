// Draws the whole screen of `watch`. See watch_state.h for its layout.
#pragma once

#include "tui/draw/canvas.h"
#include "tui/watch/watch_state.h"

namespace pipetop::tui {

// Below 60x16 it only says what it needs.
void draw(Canvas& canvas, const WatchState& state);

}  // namespace pipetop::tui
