// The ring panel: every slot now, what they are, and how full over time.
#pragma once

#include "engine/snapshot.h"
#include "tui/widgets/panel.h"

namespace pipetop::tui {

// What the reader found of stamped pages; empty while none are checked.
TitlePart integrity_title(const Reading<Integrity>& integrity);

void draw_ring(const Area& area, const RingView& ring);

}  // namespace pipetop::tui
