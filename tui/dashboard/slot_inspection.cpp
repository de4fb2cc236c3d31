#include "tui/dashboard/slot_inspection.h"

#include <algorithm>

namespace pipetop::tui {
namespace {

// Slots are a power of two, and unsigned counting goes around with them.
uint32_t wrapped(const RingFrame& frame, uint32_t index) { return index % frame.slots; }

uint32_t slots_a_line(const RingFrame& frame, const StripScale& scale) {
  if (scale.lines <= 1) return std::max(frame.slots / 4, 1u);
  return static_cast<uint32_t>(scale.cells_a_line * scale.slots_a_cell);
}

}  // namespace

void begin_inspection(RingState& state, const RingFrame& frame) {
  state.inspected = wrapped(frame, frame.tail);
}

bool inspect(RingState& state, Key pressed, const RingFrame& frame, const StripScale& scale) {
  if (!state.inspected) return false;
  const uint32_t at = wrapped(frame, *state.inspected), line = slots_a_line(frame, scale);
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
    case key::escape:
      state.inspected.reset();
      return true;
    default:
      return false;
  }
}

}  // namespace pipetop::tui
