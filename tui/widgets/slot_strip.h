// The slots of a ring as a strip of cells: the oldest full one (the tail) first,
// so that the picture stands still while the ring turns; or by their index, so
// that one can see the ends move through it.
#pragma once

#include <optional>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/state/slot_trail.h"

namespace pipetop::tui {

// How slots are laid over cells. One of the two ratios is 1.
struct StripScale {
  int cells_a_slot = 1;
  int slots_a_cell = 1;
  int lines = 1;  // of the strip, when one cannot hold all slots
  int cells_a_line = 0;
};

StripScale strip_scale(uint32_t slots, int cols, int max_lines);

// The cell, counted over all lines, in which the n-th slot of the strip begins.
int cell_of(const StripScale& scale, uint32_t n);

enum class StripOrder : uint8_t { from_tail, by_index };

// Between places on the strip and indices in the ring.
uint32_t index_of(const RingFrame& frame, StripOrder order, uint32_t place);
uint32_t place_of(const RingFrame& frame, StripOrder order, uint32_t index);

// Whether the slot lies between tail and head.
bool is_used(const RingFrame& frame, uint32_t index);
// A used slot that the engine did not list is `other`, not guessed.
SlotKind kind_at(const RingFrame& frame, uint32_t index);

struct StripLook {
  StripScale scale;
  StripOrder order = StripOrder::from_tail;
  int thickness = 1;                 // rows a line
  bool underline = false;            // one row more a line, which marks slots in huge pages
  bool dim = false;                  // it is not of this moment
  std::optional<uint32_t> selected;  // an index in the ring
  const SlotTrail* trail = nullptr;  // marks what was filled and freed just now

  int line_rows() const { return thickness + (underline ? 1 : 0); }
  int rows() const { return scale.lines * line_rows(); }
};

// Never a torn frame: its slots are of no instant.
void draw_strip(const Area& area, const RingFrame& frame, const StripLook& look);

// The index of the slot under a place of the strip's area, the first of them
// where several share a cell.
std::optional<uint32_t> slot_under(const RingFrame& frame, const StripLook& look, int row, int col);

Style style_of(SlotKind kind);
char32_t glyph_of(SlotKind kind, bool huge, const Glyphs& glyphs);
std::string_view name_of(SlotKind kind);  // "user page"

}  // namespace pipetop::tui
