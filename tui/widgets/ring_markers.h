// Where the ring begins and ends: words above the strip that point at the cells
// of tail and head, and the scale where a cell is several slots.
#pragma once

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/widgets/slot_strip.h"

namespace pipetop::tui {

void draw_markers(const Area& area, const RingFrame& frame, const StripLook& look);

}  // namespace pipetop::tui
