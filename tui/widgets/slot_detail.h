// One slot in full: where it stands, what it is, and what its flags say.
#pragma once

#include <string>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// "GIFT CAN_MERGE 0x100": by the kernel's names, what has none as a number;
// "none" for 0.
std::string flags_text(uint32_t flags);

// What it means that a slot is of a kind, for someone who does not know.
std::string_view meaning_of(SlotKind kind);

// `index`: in the ring. Returns the rows used.
int draw_slot_detail(const Area& area, const RingFrame& frame, uint32_t index);

}  // namespace pipetop::tui
