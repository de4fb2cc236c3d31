// The keys at the bottom of the screen, with the state of their knobs.
#pragma once

#include <string>
#include <vector>

#include "tui/dashboard/dashboard_state.h"
#include "tui/dashboard/layout.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {

// Where they are: a recording's time line is below them.
inline Rect key_bar(const Layout& layout, const DashboardState& state) {
  Rect bar = layout.keys;
  if (state.replay) --bar.rows;
  return bar;
}
inline Rect time_line(const Layout& layout) {
  return {layout.keys.end_row() - 1, layout.keys.col, 1, layout.keys.cols};
}

// All items with their positions relative to `bar`, in this order; the most important ones get a
// place, help and quit always.
std::vector<KeyItem> place_keys(const Rect& bar, const Snapshot& snapshot,
                                const DashboardState& state);

}  // namespace pipetop::tui
