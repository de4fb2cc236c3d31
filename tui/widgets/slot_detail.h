// One slot in detail: its position, its kind, and its flags.
#pragma once

#include <string>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// "GIFT CAN_MERGE 0x100": the kernel's names, numbers for unknown flags; "none" for
// 0.
std::string flags_text(uint32_t flags);

// `index`: in the ring. Returns the rows used.
int draw_slot_detail(const Area& area, const RingFrame& frame, uint32_t index);

}  // namespace pipetop::tui
