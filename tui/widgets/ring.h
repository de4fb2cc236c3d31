// The ring panel: every slot now, their kinds, and how full over time.
#pragma once

#include <vector>

#include "tui/state/ring_state.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

// The result of checking stamped pages: damage per second, if there is any; else past damage; else
// the number of good pages; or why it is unknown. Empty while none are stamped.
TitlePart integrity_title(const Reading<Integrity>& integrity, Payload payload);

// For a panel with this many columns and inner rows.
std::vector<TitlePart> ring_title(const Snapshot& snapshot, int panel_cols, int rows);

// `remedy_said`: the remedy for missing slots is shown elsewhere on the screen.
void draw_ring(const Area& area, const Snapshot& snapshot, const RingState& state,
               bool remedy_said = false);

}  // namespace pipetop::tui
