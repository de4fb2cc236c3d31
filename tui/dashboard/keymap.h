// The keys that do not change knobs: their lines of the help page, and what they do to the function
// lists and to the ring's panel. For knobs see the engine's table.
#pragma once

#include <span>
#include <string>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/state/dashboard_state.h"
#include "tui/widgets/pages.h"

namespace pipetop::tui {

std::span<const ScreenKey> screen_keys();

// While a recording is replayed: its own keys, and those that change nothing.
std::span<const ScreenKey> screen_keys_of_replay();
// Its own.
std::span<const ScreenKey> replay_keys();

inline HelpContents help_of(const DashboardState& view) {
  if (view.replay) return {nullptr, {}, screen_keys_of_replay()};
  return {&view.requested, view.presets, screen_keys()};
}

// Updates both lists' rows if something changed, and their selection and scroll. To
// be called for every frame, and after every key.
void show_lists(DashboardState& view, const Snapshot& shown, int rows, int cols);

// Opens or closes all rows of both lists.
void open_for_show(DashboardState& view, bool open);

// While the filter is being edited: handles the key; returns whether it was used.
bool edit_filter(DashboardState& view, Key key);

// Drops the filter; false if there is none.
bool drop_filter(DashboardState& view);

// Begins at the tail, or ends. Returns a message for the user, or "".
std::string toggle_inspection(RingState& state, const RingReadings& ring);

// Handles a key while a slot is inspected: arrows move to its neighbours in the
// strip; PgUp, PgDn, up and down move by a line of the strip (or a quarter of the
// ring); Home moves to the tail, End to the newest slot; Esc ends it. `panel` is
// the inside of the ring's panel. False: the key has its usual meaning.
bool inspect(RingState& state, Key key, const Snapshot& shown, const Rect& panel);

}  // namespace pipetop::tui
