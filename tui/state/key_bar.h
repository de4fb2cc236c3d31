// The keys at the bottom of the screen, with the state of their knobs.
#pragma once

#include <string>
#include <vector>

#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/state/dashboard_state.h"
#include "tui/state/layout.h"
#include "tui/state/replay_state.h"

namespace pipetop::tui {

enum class Lamp : uint8_t { none, off, on, differs };

// One key, or two keys that step the same knob down and up.
struct KeyItem {
  std::string keys;          // "v", "{ }"
  std::string text;          // "vmsplice", "pipe 128KiB"
  std::vector<Key> presses;  // from left to right
  Lamp lamp = Lamp::none;
  int rank = 0;            // the lowest get a place first
  std::string brief = {};  // the text where there is little room; "": the same
  int widest = 0;          // columns of its longest text: a change moves nothing
  Rect place = {};         // rows == 0: no room

  int columns() const;
};

// Where they are: a recording's time line is below them.
inline Rect key_bar(const Layout& layout, const DashboardState& state) {
  Rect bar = layout.keys;
  if (state.replay) --bar.rows;
  return bar;
}
inline Rect time_line(const Layout& layout) {
  return {layout.keys.end_row() - 1, layout.keys.col, 1, layout.keys.cols};
}

// Of a recording, in the place of what changes something.
std::vector<KeyItem> transport_items(const ReplayState& replay);

// All items with their positions relative to `bar`, in this order; the most important ones get a
// place, help and quit always.
std::vector<KeyItem> place_keys(const Rect& bar, const Snapshot& snapshot,
                                const DashboardState& state);

// The same for the keys of any screen.
std::vector<KeyItem> place_keys(const Rect& bar, std::vector<KeyItem> items);

// The key that a click at (row, col) of the bar presses; 0: none.
Key key_at(const std::vector<KeyItem>& items, int row, int col);

}  // namespace pipetop::tui
