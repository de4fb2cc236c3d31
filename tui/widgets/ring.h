// The ring panel: every slot now, what they are, and how full over time.
#pragma once

#include <vector>

#include "tui/state/ring_layout.h"
#include "tui/widgets/panel.h"

namespace pipetop::tui {

// What the reader finds of stamped pages: damage a second, if there is any; else what
// there was; else how many pages were good. Why nobody can know; empty while none are
// stamped.
TitlePart integrity_title(const Reading<Integrity>& integrity, Payload payload);

// For a panel of so many columns whose inside has so many rows.
std::vector<TitlePart> ring_title(const Snapshot& snapshot, int panel_cols, int rows);

// `remedy_said`: of why there are no slots, elsewhere on the screen.
void draw_ring(const Area& area, const Snapshot& snapshot, const RingState& state,
               bool remedy_said = false);

}  // namespace pipetop::tui
