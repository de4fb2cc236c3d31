// The slots of a ring as a strip of cells: the oldest full one (the tail) first,
// so that the picture stands still while the ring turns; or by their index, so
// that one can see the ends move through it.
#pragma once

#include "tui/state/ring_layout.h"

namespace pipetop::tui {

// Never a torn frame: its slots are of no instant.
void draw_strip(const Area& area, const RingFrame& frame, const StripLook& look);

// Above the strip: words that point at the cells of tail and head, and the scale
// where a cell is several slots.
void draw_markers(const Area& area, const RingFrame& frame, const StripLook& look);

Style style_of(SlotKind kind);
char32_t glyph_of(SlotKind kind, bool huge, const Glyphs& glyphs);
std::string_view name_of(SlotKind kind);  // "user page"

}  // namespace pipetop::tui
