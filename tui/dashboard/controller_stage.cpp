// The controller's part of the stage, the zoom, and the pages in place of other panels.
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
  const SceneView view = view_.stage.view;
  if (view_.ring.inspected || (view_.stage.on && view == SceneView::ring)) {
    view_.zoom = Panel::ring;
  } else if (view_.stage.on && view == SceneView::throughput) {
    view_.zoom = Panel::throughput;
  } else {
    view_.zoom = view_.focus == Role::writer ? Panel::writer : Panel::reader;
  }
}

void Controller::set_stage(bool on) {
  if (!on && view_.opened_for_stage) open_for_stage(view_, false);
  view_.stage.on = on;
  view_.stage.blank = false;
  view_.log.open = view_.ladder.open = false;
  view_.zoom.reset();
}

// On stage it is the large part, until the key is pressed again.
void Controller::toggle_page(PageState& page, SceneView on_stage) {
  if (view_.stage.on && !view_.zoom) {
    view_.stage.view = view_.stage.view == on_stage ? SceneView::ring : on_stage;
    return;
  }
  const bool open = page.open;
  view_.log.open = view_.ladder.open = false;
  page = {!open, 0};
}

void Controller::next_stage_view() {
  constexpr std::string_view kNames[] = {"the ring",        "functions", "the call tree",
                                         "where they wait", "the log",   "the ladder",
                                         "the throughput"};
  if (!view_.stage.on) {
    show_message("V is for the stage; S goes there");
    return;
  }
  const size_t next = (static_cast<size_t>(view_.stage.view) + 1) % std::size(kNames);
  view_.stage.view = static_cast<SceneView>(next);
  show_message("on stage: " + std::string(kNames[next]));
}

}  // namespace pipetop::tui
