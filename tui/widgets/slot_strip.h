// The slots of a ring as a strip of cells, the oldest full one (the tail) first,
// so that the picture stands still while the ring turns.
#pragma once

#include "engine/snapshot.h"
#include "tui/dashboard/canvas.h"

namespace pipetop::tui {

// How slots are laid over cells. One of the two ratios is 1.
struct StripScale {
  int cells_a_slot = 1;
  int slots_a_cell = 1;
  int lines = 1;  // of the strip, when one cannot hold all slots
  int cells_a_line = 0;
};

StripScale strip_scale(uint32_t slots, int cols, int max_lines);

// The cell, counted over all lines, in which the n-th slot from the tail begins.
int cell_of(const StripScale& scale, uint32_t n);

// `thickness` rows a line; with `underline` one row more, which marks the slots
// that lie in huge pages.
void draw_strip(const Area& area, const RingFrame& frame, const StripScale& scale, int thickness,
                bool underline);

Style style_of(SlotKind kind);
char32_t glyph_of(SlotKind kind, bool huge, const Glyphs& glyphs);
std::string_view name_of(SlotKind kind);  // "user page"

}  // namespace pipetop::tui
