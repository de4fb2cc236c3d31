// The ring panel: every slot now, what they are, and how full over time.
#pragma once

#include <optional>
#include <vector>

#include "engine/model/snapshot.h"
#include "tui/state/view_state.h"
#include "tui/widgets/panel.h"
#include "tui/widgets/ring_plan.h"

namespace pipetop::tui {

// The frame, if its slots can be drawn: read whole, with every slot, and of the
// ring's present size. Null: absent_slots() says why.
const RingFrame* drawable_frame(const RingView& ring);
std::string absent_slots(const RingView& ring);

// For a panel of so many columns whose inside has so many rows.
std::vector<TitlePart> ring_title(const Snapshot& snapshot, int panel_cols, int rows);

void draw_ring(const Area& area, const Snapshot& snapshot, const ViewState& state);

// The index of the slot at a place inside the panel, which is `rows` by `cols`.
std::optional<uint32_t> slot_at(int rows, int cols, const Snapshot& snapshot,
                                const ViewState& state, int row, int col);

}  // namespace pipetop::tui
