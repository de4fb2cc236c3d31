// Charts of upright columns and of lying bars, filled in eighths of a cell.
#pragma once

#include <span>

#include "tui/draw/canvas.h"

namespace pipetop::tui {

// `heights` are shares of the area's height. Anything above 0 shows.
void draw_columns(const Area& area, std::span<const double> heights, Ink ink);

// One bar in the area's first row, from the left; a share of the area's width.
void draw_bar(const Area& area, double share_of_full, Ink ink);

}  // namespace pipetop::tui
