// What the person chose about the screen, apart from what is measured.
#pragma once

#include <array>
#include <span>
#include <string>

#include "engine/presets.h"
#include "engine/settings.h"
#include "engine/snapshot.h"
#include "tui/dashboard/ring_state.h"

namespace pipetop::tui {

// Where a function list stands. The selection follows a function's name, not its
// place: rows change places with every sample.
struct ListState {
  std::string name;
  int selected = -1;  // none until an arrow key is pressed
  int scroll = 0;
};

struct ViewState {
  Settings requested;               // at this moment, also while frozen
  std::span<const Preset> presets;  // for keys 1 to 9
  Role focus = Role::writer;
  std::array<ListState, kRoles> lists;
  RingState ring;
  uint64_t now_ns = 0;  // the source's time, which goes on while frozen
  bool frozen = false;
  bool help = false;
  int help_scroll = 0;
  std::string message;  // "" : what the engine has to say
  Severity severity = Severity::info;

  const ListState& list(Role role) const { return lists[static_cast<size_t>(role)]; }
  ListState& list(Role role) { return lists[static_cast<size_t>(role)]; }
};

}  // namespace pipetop::tui
