// The keys that do not change knobs: their lines of the help page, and what they do to the function
// lists and to the ring's panel. For knobs see the engine's table.
#pragma once

#include <span>
#include <string>

#include "engine/model/snapshot.h"
#include "tui/dashboard/dashboard_state.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
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

}  // namespace pipetop::tui
