// The ring panel: every slot now, what they are, and how full over time.
#pragma once

#include "engine/snapshot.h"
#include "tui/dashboard/canvas.h"

namespace pipetop::tui {

void draw_ring(const Area& area, const RingView& ring);

}  // namespace pipetop::tui
