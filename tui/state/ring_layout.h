// Where the slots of a ring and the other pieces of its panel lie: arithmetic only,
// which drawing, clicks and keys share.
#pragma once

#include <optional>
#include <string>

#include "engine/model/ring_view.h"
#include "tui/draw/canvas.h"
#include "tui/state/pace.h"
#include "tui/state/ring_state.h"

namespace pipetop::tui {

// The frame, if its slots can be drawn: read whole, with every slot, and of the
// ring's present size. Null: absent_slots() says why.
const RingFrame* drawable_frame(const RingView& ring);
std::string absent_slots(const RingView& ring);
// Whether there is a look at every slot, true or not.
bool has_slots(const RingView& ring);

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

// The index of the slot under a place of the strip's area, the first of them
// where several share a cell.
std::optional<uint32_t> slot_under(const RingFrame& frame, const StripLook& look, int row, int col);

inline constexpr int kLeastHeatRows = 4;  // three shades of full, and the axis

struct RingPlan {
  // First rows in the panel; below 0: left out. The summary is row 0.
  int markers = -1, strip = -1, legend = -1, detail = -1, picture = -1, verdict = -1;
  int detail_rows = 0, picture_rows = 0;
  StripLook look;
};

// Below it the verdict has its place elsewhere.
constexpr bool has_verdict_row(int rows) { return rows >= 8; }

RingPlan ring_plan(int rows, int cols, uint32_t slots, const RingState& state, Pace pace);

// The index of the slot at a place of the screen, of which the inside of the ring's
// panel is `panel`.
std::optional<uint32_t> slot_at(const Rect& panel, const Snapshot& shown, const RingState& state,
                                int row, int col);

}  // namespace pipetop::tui
