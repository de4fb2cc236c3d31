// How full the ring was over time: a histogram from empty to full.
#pragma once

#include "engine/reading.h"
#include "engine/snapshot.h"
#include "tui/dashboard/canvas.h"

namespace pipetop::tui {

void draw_occupancy(const Area& area, const Reading<Occupancy>& occupancy);

}  // namespace pipetop::tui
