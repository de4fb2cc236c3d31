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
  if (view_.zoom) {
    constexpr int kPanels = static_cast<int>(Panel::reader) + 1;
    const auto moved = [&](Panel from) {
      return static_cast<Panel>((static_cast<int>(from) + kPanels + step) % kPanels);
    };
    view_.zoom = moved(*view_.zoom);
    if (view_.zoom == Panel::reader && !has_role(view_.requested, Role::reader))
      view_.zoom = moved(*view_.zoom);
    if (view_.zoom == Panel::writer) view_.focus = Role::writer;
    if (view_.zoom == Panel::reader) view_.focus = Role::reader;
  } else if (has_role(view_.requested, Role::reader)) {
    view_.focus = view_.focus == Role::writer ? Role::reader : Role::writer;
  }
}

void Controller::toggle_zoom() {
  if (view_.zoom) {
    view_.zoom.reset();
    return;
  }
  const SceneView view = view_.show.view;
  if (view_.ring.inspected || (view_.show.on && view == SceneView::ring)) {
    view_.zoom = Panel::ring;
  } else if (view_.show.on && view == SceneView::throughput) {
    view_.zoom = Panel::throughput;
  } else {
    view_.zoom = view_.focus == Role::writer ? Panel::writer : Panel::reader;
  }
}

void Controller::set_show(bool on) {
  if (!on && view_.opened_for_show) open_for_show(view_, false);
  view_.show.on = on;
  view_.show.blank = false;
  view_.log.open = view_.ladder.open = false;
  view_.zoom.reset();
}

// In the show it is the large part, until the key is pressed again.
void Controller::toggle_page(PageState& page, SceneView in_show) {
  if (view_.show.on && !view_.zoom) {
    view_.show.view = view_.show.view == in_show ? SceneView::ring : in_show;
    return;
  }
  const bool open = page.open;
  view_.log.open = view_.ladder.open = false;
  page = {!open, 0};
}

void Controller::next_show_part() {
  constexpr std::string_view kNames[] = {"the ring",        "functions", "the call tree",
                                         "where they wait", "the log",   "the ladder",
                                         "the throughput"};
  if (!view_.show.on) {
    show_message("V works in the show only; S opens it");
    return;
  }
  const size_t next = (static_cast<size_t>(view_.show.view) + 1) % std::size(kNames);
  view_.show.view = static_cast<SceneView>(next);
  show_message("in the show: " + std::string(kNames[next]));
}

}  // namespace pipetop::tui
