// Which key does what. Knob keys come from the engine's table, the rest from
// one table here; help and key bar read the same two.
#pragma once

#include <span>
#include <string_view>

#include "engine/model/settings.h"
#include "tui/draw/keys.h"

namespace pipetop::tui {

enum class Act : uint8_t {
  unknown,
  knob,    // n: index in hot_keys()
  preset,  // n: index in the presets
  undo,
  baseline,
  freeze,
  focus,
  move,  // n: lines
  page,  // n: pages
  first,
  last,
  form,        // of the lists: flat or tree
  open_level,  // of the selected row
  open_entry,
  open_all,
  close_all,
  sort,
  filter,
  activity,  // running or waiting
  wall,      // shares of the wall time or of the samples
  compare,   // with this moment
  log,
  inspect,  // a slot of the ring
  picture,  // the next one below the slots
  parts,    // in the place of the ring
  roof,     // of the throughput, shown or not
  help,
  close,
  redraw,
  mouse,
  counters,
  suspend,
  quit,
  abort,
};

struct KeyCommand {
  Act act = Act::unknown;
  int n = 0;
};

// The hot keys are those of the settings' workload.
KeyCommand command_for(Key key, const Settings& settings);

struct ScreenKey {
  std::string_view keys;  // "Tab"
  std::string_view help;
};

// The keys that change no knob, for the help page.
std::span<const ScreenKey> screen_keys();

}  // namespace pipetop::tui
