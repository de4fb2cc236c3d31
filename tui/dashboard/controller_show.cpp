// The controller's part of the show, the zoom, and the pages in place of other panels.
#include <iterator>
#include <string>
#include <string_view>

#include "engine/registry/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/keymap.h"

namespace pipetop::tui {

// To the other list; among all panels while one of them has the whole screen.
void Controller::change_focus(int step) {
  if (state_.zoom) {
    constexpr int kPanels = static_cast<int>(Panel::reader) + 1;
    const auto moved = [&](Panel from) {
      return static_cast<Panel>((static_cast<int>(from) + kPanels + step) % kPanels);
    };
    state_.zoom = moved(*state_.zoom);
    if (state_.zoom == Panel::reader && !has_role(state_.requested, Role::reader))
      state_.zoom = moved(*state_.zoom);
    if (state_.zoom == Panel::writer) state_.focus = Role::writer;
    if (state_.zoom == Panel::reader) state_.focus = Role::reader;
  } else if (has_role(state_.requested, Role::reader)) {
    state_.focus = state_.focus == Role::writer ? Role::reader : Role::writer;
  }
}

void Controller::toggle_zoom() {
  if (state_.zoom) {
    state_.zoom.reset();
    return;
  }
  const ShowPart view = state_.show.view;
  if (state_.ring.inspected || (state_.show.on && view == ShowPart::ring)) {
    state_.zoom = Panel::ring;
  } else if (state_.show.on && view == ShowPart::throughput) {
    state_.zoom = Panel::throughput;
  } else {
    state_.zoom = state_.focus == Role::writer ? Panel::writer : Panel::reader;
  }
}

void Controller::set_show(bool on) {
  if (!on && state_.opened_for_show) open_for_show(state_, false);
  state_.show.on = on;
  state_.show.blank = false;
  state_.log.open = state_.ladder.open = false;
  state_.zoom.reset();
}

// In the show it is the large part, until the key is pressed again.
void Controller::toggle_page(PageState& page, ShowPart in_show) {
  if (state_.show.on && !state_.zoom) {
    state_.show.view = state_.show.view == in_show ? ShowPart::ring : in_show;
    return;
  }
  const bool open = page.open;
  state_.log.open = state_.ladder.open = false;
  page = {!open, 0};
}

void Controller::next_show_part() {
  constexpr std::string_view kNames[] = {"the ring",        "functions", "the call tree",
                                         "where they wait", "the log",   "the ladder",
                                         "the throughput"};
  if (!state_.show.on) {
    say("V works in the show only; S opens it");
    return;
  }
  const size_t next = (static_cast<size_t>(state_.show.view) + 1) % std::size(kNames);
  state_.show.view = static_cast<ShowPart>(next);
  say("in the show: " + std::string(kNames[next]));
}

}  // namespace pipetop::tui
