// What keys do to the function lists and to the ring's panel.
#include <algorithm>

#include "engine/registry/workloads.h"
#include "tui/dashboard/keymap.h"
#include "tui/state/layout.h"
#include "tui/state/list_state.h"
#include "tui/state/ring_state.h"
#include "tui/state/show_layout.h"

namespace pipetop::tui {
namespace {

void set_filter(DashboardState& view, std::string filter) {
  view.choice.filter = std::move(filter);
  for (ListState& list : view.lists) list.filtered = Folds(true);
}

// In the show the scene's view decides how functions are listed. A tree is open at first, so that
// neither its story nor the highlighted function is hidden in a closed row.
void follow_show(DashboardState& view) {
  const ShowPart shown = view.show.view;
  if (!shows_lists_in_show(shown)) return;
  const bool tree = shown == ShowPart::tree;
  view.choice.form = tree ? ListForm::tree : ListForm::flat;
  view.choice.activity = shown == ShowPart::waiting ? Activity::waiting : Activity::running;
  const bool fresh = std::ranges::any_of(
      view.lists, [](const ListState& list) { return list.folds.version() == 0; });
  if (tree ? view.opened_for_show && !fresh : !view.opened_for_show) return;
  open_for_show(view, tree);
}

// Only as far as needed: the hottest rows matter, too. Not if it is gone, nor if the user has moved
// on to another row. A flat list is drawn with it in the last place instead.
void bring_into_view(ListState& list, std::string_view function, ListForm form, int visible) {
  if (function.empty() || list.selected >= 0) return;
  if (form == ListForm::flat) {
    list.scroll = 0;
    return;
  }
  const auto rows = rows_of(list);
  const auto found = std::ranges::find(rows, function, &CallRow::name);
  const bool there = found != rows.end() && found->novelty != Novelty::vanished;
  const auto index = static_cast<int>(found - rows.begin());
  list.scroll = there ? std::max(0, index - visible + 1) : 0;
}

}  // namespace

void open_for_show(DashboardState& view, bool open) {
  view.opened_for_show = open;
  for (ListState& list : view.lists) list.folds.set_all(open);
}

void show_lists(DashboardState& view, const Snapshot& shown, int rows, int cols) {
  if (!view.reference.is_a && view.reference.segment != shown.throughput.previous)
    view.reference = {shown.throughput.previous};
  const Layout layout = screen_layout(view, rows, cols);
  if (view.show.on) follow_show(view);
  for (const Role role : roles_of(view.on_screen())) {
    ListState& list = view.list(role);
    refresh(list.contents, shown.worker(role), view.reference, view.choice,
            list.folds_in(view.choice));
    if (view.show.on) {
      bring_into_view(list, view.show.highlight, view.choice.form,
                      function_rows(list_of(layout, role)));
    }
    keep_in_view(list, function_rows(list_of(layout, role)));
  }
}

bool edit_filter(DashboardState& view, Key key) {
  std::string filter = view.choice.filter;
  if (!edit_filter(filter, view.choice.filter_before, key)) return false;
  if (filter != view.choice.filter) set_filter(view, std::move(filter));
  return true;
}

bool drop_filter(DashboardState& view) {
  if (view.choice.filter.empty()) return false;
  set_filter(view, "");
  return true;
}

std::string toggle_inspection(RingState& state, const RingReadings& ring) {
  const RingFrame* frame = drawable_frame(ring);
  if (state.inspected) {
    state.inspected.reset();
    return {};
  }
  if (!frame) return "no slot to inspect: " + absent_slots(ring);
  state.inspected = frame->tail % frame->slots;
  return "arrows move between slots, Space freezes, Esc leaves";
}

bool inspect(RingState& state, Key pressed, const Snapshot& shown, const Rect& panel) {
  if (!state.inspected) return false;
  if (pressed == key::escape) {
    state.inspected.reset();
    return true;
  }
  const RingFrame* frame = drawable_frame(shown.ring);
  if (!frame) return false;
  const RingLayout plan = ring_layout(panel.rows, panel.cols, frame->slots, state, pace_of(shown));
  const auto to = slot_after(*frame, plan.strip_style.scale, *state.inspected, pressed);
  if (to) state.inspected = to;
  return to.has_value();
}

}  // namespace pipetop::tui
