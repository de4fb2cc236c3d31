// The slots of a ring as a strip of cells: the oldest full one (the tail) first,
// so that the strip does not move while the ring turns; or by index, so that one
// can see the ends move.
#pragma once

#include "tui/state/ring_layout.h"

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

}  // namespace pipetop::tui
