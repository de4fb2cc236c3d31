// Where a stage's time goes: a bar of the shares, and their numbers, which are its legend.
#pragma once

#include "engine/watch/pipeline.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// On a CPU, runnable, blocked reading, blocked writing, elsewhere; 100 % of the time fills the row.
void draw_share_bar(const Area& area, const StageShares& shares);

// Side by side in one row: all of them, or the largest that fit.
void draw_share_items(const Area& area, const StageShares& shares);

// A line each. Returns the lines used: at most kShareLines.
inline constexpr int kShareLines = 5;
int draw_share_lines(const Area& area, const StageShares& shares);

}  // namespace pipetop::tui
