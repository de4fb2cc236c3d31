// The keys at the bottom: every knob with its state, and the screen's own keys.
#pragma once

#include <string>
#include <vector>

#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/state/view_state.h"

namespace pipetop::tui {

enum class Lamp : uint8_t { none, off, on, differs };

// One key, or two keys that step the same knob down and up.
struct KeyItem {
  std::string keys;  // "v", "{ }"
  std::string text;  // "vmsplice", "pipe 128KiB"
  Lamp lamp = Lamp::none;
  std::vector<Key> presses;  // from left to right
  Rect place;                // rows == 0: no room

  int columns() const;
};

// All items with their positions relative to `bar`; help and quit always have one.
std::vector<KeyItem> place_keys(const Rect& bar, const Snapshot& snapshot, const ViewState& state);

// The key that a click at (row, col) of the bar presses; 0: none.
Key key_at(const std::vector<KeyItem>& items, int row, int col);

}  // namespace pipetop::tui
