// The help page, made from the tables of knobs, presets and keys.
#pragma once

#include "tui/draw/canvas.h"
#include "tui/state/view_state.h"

namespace pipetop::tui {

// Over the middle of the screen.
void draw_help(Canvas& canvas, const ViewState& state);

// How far it can be scrolled on a screen of this size.
int help_scroll_end(int rows, int cols, const ViewState& state);

}  // namespace pipetop::tui
