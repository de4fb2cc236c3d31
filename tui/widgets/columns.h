// A chart of upright columns, one cell each, filled in eighths of a cell.
#pragma once

#include <span>

#include "tui/dashboard/canvas.h"

namespace pipetop::tui {

// `heights` are shares of the area's height. Anything above 0 shows.
void draw_columns(const Area& area, std::span<const double> heights, Ink ink);

}  // namespace pipetop::tui
