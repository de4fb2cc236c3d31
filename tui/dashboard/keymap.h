// The keys: those that do not change knobs, for which see the engine's table, with their lines of
// the help page and what they do to the function lists and to the ring's panel; and all of them at
// the bottom of the screen.
#pragma once

#include <span>
#include <vector>

#include "engine/model/snapshot.h"
#include "tui/dashboard/dashboard_state.h"
#include "tui/dashboard/layout.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/widgets/frame.h"
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

// ---- the keys at the bottom ----

// Where they are: a recording's time line is below them.
inline Rect key_bar(const Layout& layout, const DashboardState& state) {
  Rect bar = layout.keys;
  if (state.replay) --bar.rows;
  return bar;
}
inline Rect time_line(const Layout& layout) {
  return {layout.keys.end_row() - 1, layout.keys.col, 1, layout.keys.cols};
}

// The keys with the state of their knobs: all items, with their positions relative to `bar`, in
// this order; the most important ones get a place, help and quit always.
std::vector<KeyItem> place_keys(const Rect& bar, const Snapshot& snapshot,
                                const DashboardState& state);

}  // namespace pipetop::tui
