// The lines around the table or the pipeline: what is shown, and the keys.
#pragma once

#include "tui/draw/canvas.h"
#include "tui/watch/watch_state.h"

namespace pipetop::tui {

void draw_watch_title(const Area& area, const WatchState& state);

}  // namespace pipetop::tui
