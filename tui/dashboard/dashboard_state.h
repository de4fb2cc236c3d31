// The user's choices for the screen, apart from measurements.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/experiment/turns.h"
#include "engine/model/settings.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/talk.h"
#include "tui/screen/screen.h"
#include "tui/widgets/ladder.h"
#include "tui/widgets/list_state.h"
#include "tui/widgets/ring_state.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {

// Those that can have the whole screen. `ring`: or the parts in its place. `pipeline`: the workers
// and their ring side by side, with the panel of one of them below.
enum class Panel : uint8_t { throughput, ring, writer, reader, pipeline };

// `now_ns` is the source's time.
struct DashboardState : ScreenState {
  Settings requested;                 // current, also while frozen
  std::optional<Settings> frozen_on;  // those of the picture, while frozen
  std::span<const Preset> presets;    // for keys 1 to 9
  Role focus = Role::writer;
  ListChoice choice;  // what both lists show
  std::array<ListState, kRoles> lists;
  Reference reference;                   // the reference for changes
  std::optional<Turns> turns;            // A and B, while they are compared and since
  Settings turns_b;                      // B; A is the reference
  PageState log, ladder;                 // the segments so far; their settings as bars
  std::optional<Panel> zoom;             // the panel that has the whole screen
  Panel below_pipeline = Panel::writer;  // writer, ring or reader: what is selected in it
  HottestFunctions hottest;
  RingState ring;
  ShowState show;
  TalkState talk;
  bool opened_for_show = false;          // all rows of the lists, for its tree
  std::optional<bool> parts;             // in the ring's place; nothing: the workload's default
  std::optional<double> roof_gib_per_s;  // the upper bound of a pipe's rate here, if known
  bool roof_hidden = false;
  std::optional<double> then;  // the rate of a stored result with the settings on the screen
  const ReplayState* replay = nullptr;  // of a recording; null: it happens now

  // What the key `a` does next.
  enum class Compare : uint8_t { keep_a, take_turns, stop, drop_a };
  Compare next_compare() const {
    if (take_turns()) return Compare::stop;
    if (!reference.is_a) return Compare::keep_a;
    if (!reference.segment) return Compare::drop_a;
    const Settings& a = reference.segment->requested;
    const bool can = !replay && a != requested && a.workload == requested.workload &&
                     !a.pipe.slow_motion && !requested.pipe.slow_motion;
    return can && !compared() ? Compare::take_turns : Compare::drop_a;
  }
  bool take_turns() const { return turns && !turns->ended(); }
  // What was compared in turns is on the screen.
  bool compared() const { return turns && turns->ended() && turns_b == on_screen(); }

  std::optional<double> shown_roof() const { return roof_hidden ? std::nullopt : roof_gib_per_s; }
  bool shows_pipeline() const { return zoom == Panel::pipeline; }
  const ListState& list(Role role) const { return lists[static_cast<size_t>(role)]; }
  ListState& list(Role role) { return lists[static_cast<size_t>(role)]; }
  // What the picture is of: a frozen one stays what it is, whatever runs by now.
  const Settings& on_screen() const { return frozen && frozen_on ? *frozen_on : requested; }
  // The preset that the settings on the screen equal but for their pace, else "custom".
  std::string_view preset_name() const { return preset_of(presets, on_screen()); }
  // "vmsplice_read · slow motion"
  std::string title() const { return name_of(presets, on_screen()); }
  // What differs from the scene that is on the screen; else "".
  std::string by_hand() const {
    if (replay || !talk.presenting || !talk.at || talk.scenes[*talk.at].watch) return {};
    if (talk.transition_ns != 0 || talk.failed) return {};
    return changed_to(talk.scenes[*talk.at].settings, on_screen());
  }
  // Where the keys of the dashboard do nothing, none is named.
  bool on_stage() const { return talk.presenting && show.on; }
  // What runs behind a frozen screen, if it is something else; else "".
  std::string running_behind() const {
    return on_screen() == requested ? std::string() : name_of(presets, requested);
  }
  // Whether that list shows why it is empty: then the remedy is on the screen.
  bool writers_list_says(std::string_view reason) const {
    return !log.open && !ladder.open && !reason.empty() &&
           list(Role::writer).contents.rows.reason == reason;
  }
};

// The user's choice; else the parts for a workload with several, or without a ring.
inline bool shows_parts(const Snapshot& s, const DashboardState& view) {
  if (!terms_of(s.requested).has_ring) return true;
  return view.parts.value_or(s.parts.size() > 1 || !s.figures.empty());
}

}  // namespace pipetop::tui
