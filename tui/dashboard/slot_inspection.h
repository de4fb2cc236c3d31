// Handles the keys of the ring's panel: inspecting slots, switching charts.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/state/ring_state.h"

namespace pipetop::tui {

// Begins at the tail, or ends. Returns a message for the user, or "".
std::string toggle_inspection(RingState& state, const RingView& ring);

// Handles a key while a slot is inspected: arrows move to its neighbours in the
// strip; PgUp, PgDn, up and down move by a line of the strip (or a quarter of the
// ring); Home moves to the tail, End to the newest slot; Esc ends it. `panel` is
// the inside of the ring's panel. False: the key has its usual meaning.
bool inspect(RingState& state, Key key, const Snapshot& shown, const Rect& panel);

// Switches to the next chart below the slots and returns its name.
std::string_view next_picture(RingState& state);

}  // namespace pipetop::tui
