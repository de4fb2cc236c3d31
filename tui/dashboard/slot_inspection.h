// What keys do to the ring's panel: a slot is inspected, another picture shown.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/state/ring_state.h"

namespace pipetop::tui {

// Begins at the tail, or ends. Returns words for the person, "" if there is
// nothing to say.
std::string toggle_inspection(RingState& state, const RingView& ring);

// What a key does while a slot is inspected: arrows go to its neighbours on the
// strip, PgUp, PgDn, up and down a line of the strip further (or a quarter of
// the ring), Home to the tail, End to the newest slot; Esc ends it. `panel` is
// the inside of the ring's panel. False: the key has its usual meaning.
bool inspect(RingState& state, Key key, const Snapshot& shown, const Rect& panel);

// Goes to the next picture below the slots and returns its name.
std::string_view next_picture(RingState& state);

}  // namespace pipetop::tui
