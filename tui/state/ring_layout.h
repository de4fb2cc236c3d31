// The positions of a ring's slots and the other parts of its panel: arithmetic
// only, shared by drawing, clicks and keys.
#pragma once

#include <optional>
#include <string>

#include "engine/model/ring_view.h"
#include "tui/draw/canvas.h"
#include "tui/state/pace.h"
#include "tui/state/ring_state.h"

namespace pipetop::tui {

// The frame, if its slots can be drawn: complete, with every slot, and of the
// ring's current size. Null: absent_slots() says why.
const RingFrame* drawable_frame(const RingView& ring);
std::string absent_slots(const RingView& ring);
// Whether there is a snapshot of every slot, torn or not.
bool has_slots(const RingView& ring);

// How slots map to cells. One of the two ratios is 1.
struct StripScale {
  int cells_a_slot = 1;
  int slots_a_cell = 1;
  int lines = 1;  // of the strip, if one cannot hold all slots
  int cells_a_line = 0;
};

StripScale strip_scale(uint32_t slots, int cols, int max_lines);

// The cell, counted across all lines, in which the n-th slot of the strip begins.
int cell_of(const StripScale& scale, uint32_t n);

enum class StripOrder : uint8_t { from_tail, by_index };

// Converts between positions on the strip and indices in the ring.
uint32_t index_of(const RingFrame& frame, StripOrder order, uint32_t place);
uint32_t place_of(const RingFrame& frame, StripOrder order, uint32_t index);

// Whether the slot is between tail and head.
bool is_used(const RingFrame& frame, uint32_t index);
// A used slot that the engine did not list is `other`.
SlotKind kind_at(const RingFrame& frame, uint32_t index);

struct StripView {
  StripScale scale;
  StripOrder order = StripOrder::from_tail;
  int thickness = 1;                 // rows per line
  bool underline = false;            // one more row per line, which marks slots in huge pages
  bool dim = false;                  // it is out of date
  std::optional<uint32_t> selected;  // an index in the ring
  const SlotTrail* trail = nullptr;  // marks what was just filled and freed

  int line_rows() const { return thickness + (underline ? 1 : 0); }
  int rows() const { return scale.lines * line_rows(); }
};

// The index of the slot at a position in the strip's area; the first one if several
// share a cell.
std::optional<uint32_t> slot_under(const RingFrame& frame, const StripView& view, int row, int col);

inline constexpr int kLeastHeatRows = 4;  // three shades of full, and the axis

struct RingLayout {
  // First rows in the panel; below 0: left out. The summary is row 0.
  int markers = -1, strip = -1, legend = -1, detail = -1, picture = -1, verdict = -1;
  int detail_rows = 0, picture_rows = 0;
  StripView strip_view;
};

// With less the verdict is shown elsewhere.
constexpr bool has_verdict_row(int rows) { return rows >= 8; }

RingLayout ring_layout(int rows, int cols, uint32_t slots, const RingState& state, Pace pace);

// The index of the slot at a position of the screen; `panel` is the inside of the
// ring's panel.
std::optional<uint32_t> slot_at(const Rect& panel, const Snapshot& shown, const RingState& state,
                                int row, int col);

}  // namespace pipetop::tui
