// Moves the inspection from slot to slot.
#pragma once

#include "tui/dashboard/keys.h"
#include "tui/dashboard/ring_state.h"
#include "tui/widgets/slot_strip.h"

namespace pipetop::tui {

// Begins at the tail.
void begin_inspection(RingState& state, const RingFrame& frame);

// What a key does while a slot is inspected: arrows go to its neighbours on the
// strip, PgUp, PgDn, up and down a line of the strip further (or a quarter of
// the ring), Home to the tail, End to the newest slot; Esc ends it. False: the
// key has its usual meaning.
bool inspect(RingState& state, Key key, const RingFrame& frame, const StripScale& scale);

}  // namespace pipetop::tui
