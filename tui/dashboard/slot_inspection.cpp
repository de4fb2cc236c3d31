#include "tui/dashboard/slot_inspection.h"

#include <algorithm>
#include <array>

#include "tui/state/ring_layout.h"

namespace pipetop::tui {
namespace {

// Slots are a power of two, so unsigned indices wrap around correctly.
uint32_t wrapped(const RingFrame& frame, uint32_t index) { return index % frame.slots; }

uint32_t slots_a_line(const RingFrame& frame, const StripScale& scale) {
  if (scale.lines <= 1) return std::max(frame.slots / 4, 1u);
  return static_cast<uint32_t>(scale.cells_a_line * scale.slots_a_cell);
}

// Where a key goes from a slot, counted on around the ring.
std::optional<uint32_t> target(const RingFrame& frame, uint32_t at, Key pressed, uint32_t line) {
  switch (pressed) {
    case key::right:
      return at + 1;
    case key::left:
      return at + frame.slots - 1;
    case key::down:
    case key::page_down:
      return at + line;
    case key::up:
    case key::page_up:
      return at + frame.slots - wrapped(frame, line);
    case key::home:
      return frame.tail;
    case key::end:
      return frame.tail + std::max(frame.used, 1u) - 1;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string toggle_inspection(RingState& state, const RingView& ring) {
  const RingFrame* frame = drawable_frame(ring);
  if (state.inspected) {
    state.inspected.reset();
    return {};
  }
  if (!frame) return "no slot to inspect: " + absent_slots(ring);
  state.inspected = wrapped(*frame, frame->tail);
  return "arrows move between slots, Space freezes, Esc leaves";
}

bool inspect(RingState& state, Key pressed, const Snapshot& shown, const Rect& panel) {
  if (!state.inspected) return false;
  if (pressed == key::escape) {
    state.inspected.reset();
    return true;
  }
  const RingFrame* frame = drawable_frame(shown.ring);
  if (!frame) return false;
  const RingPlan plan = ring_plan(panel.rows, panel.cols, frame->slots, state, pace_of(shown));
  const auto to = target(*frame, wrapped(*frame, *state.inspected), pressed,
                         slots_a_line(*frame, plan.look.scale));
  if (to) state.inspected = wrapped(*frame, *to);
  return to.has_value();
}

std::string_view next_picture(RingState& state) {
  constexpr std::array<std::string_view, 3> kNames = {"heat map and histogram, as room allows",
                                                      "histogram", "heat map"};
  const size_t next = (static_cast<size_t>(state.picture) + 1) % kNames.size();
  state.picture = static_cast<RingPicture>(next);
  return kNames[next];
}

}  // namespace pipetop::tui
