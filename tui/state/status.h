// The bottom of the screen: a message with what the user should know now, and the keys with the
// state of their knobs.
#pragma once

#include <string>
#include <vector>

#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/state/layout.h"
#include "tui/state/view_state.h"

namespace pipetop::tui {

struct Message {
  std::string text;
  Severity severity = Severity::info;
};

// Whether the verdict, or the cause of the last change, is shown in full elsewhere.
enum class VerdictAt : uint8_t { ring, message };
enum class ChangeAt : uint8_t { throughput, message };

// The filter being typed; else a key's message; else problems, in turn: new errors, knobs that did
// not take effect, new warnings, and what disturbs the measurement; else news; else what the
// selected function does, and its path; else, in turn: what the last change did, why stamped pages
// cannot be checked, the verdict, what a marked function counts; else why the bytes are copied or
// not.
Message message_of(const Snapshot& snapshot, const ViewState& state,
                   VerdictAt verdict = VerdictAt::ring, ChangeAt change = ChangeAt::throughput);
// All that there is to say now, in the same order.
std::vector<Message> messages_of(const Snapshot& snapshot, const ViewState& state);

std::string verdict_text(const Verdict& verdict);  // "lock-bound: writer spins ..."
// "the reader no longer copies: _copy_to_iter 13.5 → 0 %", or as much of it as fits; "" while it is
// not known.
std::string cause_text(const Snapshot& snapshot, int cols);

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

// Beside the knobs' own keys: presets, undo, baseline, counters.
bool changes_settings(Key key);

// Where they are: a recording's time line is below them.
inline Rect key_bar(const Layout& layout, const ViewState& state) {
  Rect bar = layout.keys;
  if (state.replay) --bar.rows;
  return bar;
}
inline Rect time_line(const Layout& layout) {
  return {layout.keys.end_row() - 1, layout.keys.col, 1, layout.keys.cols};
}

// All items with their positions relative to `bar`, in this order; the most important ones get a
// place, help and quit always.
std::vector<KeyItem> place_keys(const Rect& bar, const Snapshot& snapshot, const ViewState& state);

// The key that a click at (row, col) of the bar presses; 0: none.
Key key_at(const std::vector<KeyItem>& items, int row, int col);

}  // namespace pipetop::tui
