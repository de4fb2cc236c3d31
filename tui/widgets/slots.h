// The slots of a ring: as a strip of cells, and one of them in detail.
#pragma once

#include <string>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/state/ring_state.h"

namespace pipetop::tui {

// Never a torn frame: its slots are inconsistent.
void draw_strip(const Area& area, const RingFrame& frame, const StripView& view);

// Above the strip: labels that point at the cells of tail and head, and the scale
// if a cell is several slots.
void draw_markers(const Area& area, const RingFrame& frame, const StripView& view);

Style style_of(SlotKind kind);
char32_t glyph_of(SlotKind kind, bool huge, const Glyphs& glyphs);
std::string_view name_of(SlotKind kind);  // "user page"
// For someone who does not know the kind.
std::string_view meaning_of(SlotKind kind);

// "GIFT CAN_MERGE 0x100": the kernel's names, numbers for unknown flags; "none" for
// 0.
std::string flags_text(uint32_t flags);

// `index`: in the ring. Returns the rows used.
int draw_slot_detail(const Area& area, const RingFrame& frame, uint32_t index);

}  // namespace pipetop::tui
