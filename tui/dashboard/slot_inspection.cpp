#include "tui/dashboard/slot_inspection.h"

#include <algorithm>
#include <array>

#include "tui/state/ring_layout.h"

namespace pipetop::tui {
namespace {

// Slots are a power of two, and unsigned counting goes around with them.
uint32_t wrapped(const RingFrame& frame, uint32_t index) { return index % frame.slots; }

uint32_t slots_a_line(const RingFrame& frame, const StripScale& scale) {
  if (scale.lines <= 1) return std::max(frame.slots / 4, 1u);
  return static_cast<uint32_t>(scale.cells_a_line * scale.slots_a_cell);
}

void begin_inspection(RingState& state, const RingFrame& frame) {
  state.inspected = wrapped(frame, frame.tail);
}

bool move(RingState& state, Key pressed, const RingFrame& frame, uint32_t line) {
  const uint32_t at = wrapped(frame, *state.inspected);
  switch (pressed) {
    case key::right:
      state.inspected = wrapped(frame, at + 1);
      return true;
    case key::left:
      state.inspected = wrapped(frame, at + frame.slots - 1);
      return true;
    case key::down:
    case key::page_down:
      state.inspected = wrapped(frame, at + line);
      return true;
    case key::up:
    case key::page_up:
      state.inspected = wrapped(frame, at + frame.slots - wrapped(frame, line));
      return true;
    case key::home:
      begin_inspection(state, frame);
      return true;
    case key::end:
      state.inspected = wrapped(frame, frame.used > 0 ? frame.tail + frame.used - 1 : frame.tail);
      return true;
    default:
      return false;
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
  begin_inspection(state, *frame);
  return "arrows go from slot to slot, Space freezes, Esc leaves";
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
  return move(state, pressed, *frame, slots_a_line(*frame, plan.look.scale));
}

std::string_view next_picture(RingState& state) {
  constexpr std::array<std::string_view, 3> kNames = {"heat map and histogram, as room allows",
                                                      "histogram", "heat map"};
  const size_t next = (static_cast<size_t>(state.picture) + 1) % kNames.size();
  state.picture = static_cast<RingPicture>(next);
  return kNames[next];
}

}  // namespace pipetop::tui
