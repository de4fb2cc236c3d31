// What the person chose about the screen, apart from what is measured.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/model/presets.h"
#include "engine/model/settings.h"
#include "engine/model/snapshot.h"
#include "engine/registry/terms.h"
#include "tui/state/list_state.h"
#include "tui/state/ring_state.h"

namespace pipetop::tui {

struct ViewState {
  Settings requested;               // at this moment, also while frozen
  std::span<const Preset> presets;  // for keys 1 to 9
  Role focus = Role::writer;
  ListChoice choice;  // of what both lists show
  std::array<ListState, kRoles> lists;
  Reference reference;  // what changes are told against
  bool log = false;     // the segments so far
  int log_scroll = 0;
  RingState ring;
  std::optional<bool> parts;             // in the ring's place; nothing: as the workload has it
  std::optional<double> roof_gib_per_s;  // the most that a pipe can carry here, if known
  bool roof_hidden = false;
  uint64_t now_ns = 0;  // the source's time, which goes on while frozen
  bool frozen = false;
  bool help = false;
  int help_scroll = 0;
  std::string message;  // "" : what the engine has to say
  Severity severity = Severity::info;

  std::optional<double> shown_roof() const { return roof_hidden ? std::nullopt : roof_gib_per_s; }
  const ListState& list(Role role) const { return lists[static_cast<size_t>(role)]; }
  ListState& list(Role role) { return lists[static_cast<size_t>(role)]; }
  // Of the preset that the settings equal, else "custom".
  std::string_view preset_name() const {
    const auto found = std::ranges::find(presets, requested, &Preset::settings);
    return found == presets.end() ? std::string_view("custom") : found->name;
  }
  // Whether that list is why it has nothing to show: then the remedy is on the screen.
  bool writers_list_says(std::string_view reason) const {
    return !log && !reason.empty() && list(Role::writer).contents.rows.reason == reason;
  }
};

// The person's choice; else the parts of a workload that has several, or no ring.
inline bool shows_parts(const Snapshot& s, const ViewState& view) {
  if (!terms_of(s.requested).has_ring) return true;
  return view.parts.value_or(s.parts.size() > 1 || !s.figures.empty());
}

}  // namespace pipetop::tui
