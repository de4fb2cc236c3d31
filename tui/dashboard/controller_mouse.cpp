// The meaning of clicks and the wheel, by place.
#include "engine/registry/terms.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/view_keys.h"
#include "tui/state/ring_state.h"
#include "tui/state/status.h"

namespace pipetop::tui {

void Controller::click(const Mouse& mouse, const Snapshot& shown) {
  if (view_.help) return close();
  const Layout places = layout();
  if (!places.fits) return;
  if (places.keys.contains(mouse.row, mouse.col)) {
    const auto items = place_keys(places.keys, shown, view_);
    const Key key = key_at(items, mouse.row - places.keys.row, mouse.col);
    if (key != 0) press(key, shown);
    return;
  }
  for (const Role role : roles_of(view_.requested)) {
    if (!view_.log && panel_of(places, role).contains(mouse.row, mouse.col))
      click_list(role, mouse.row);
  }
  if (shows_parts(shown, view_)) return;
  if (const auto slot =
          slot_at(inside(places, places.ring), shown, view_.ring, mouse.row, mouse.col))
    view_.ring.inspected = slot;
}

// A click on the selected row opens or closes it.
void Controller::click_list(Role role, int row) {
  ListState& list = view_.list(role);
  view_.focus = role;
  const int line = function_line(inside(layout(), panel_of(layout(), role)), row);
  const int index = list.scroll + line;
  if (line < 0 || index >= static_cast<int>(rows_of(list).size())) return;
  if (index == list.selected) {
    open_level(view_);
  } else {
    select(list, index);
  }
}

// The wheel scrolls the list; the selection moves along if necessary.
void Controller::scroll(const Mouse& mouse, int lines) {
  if (int* page = page_scroll()) {
    *page += lines;
    return;
  }
  for (const Role role : roles_of(view_.requested)) {
    if (!panel_of(layout(), role).contains(mouse.row, mouse.col)) continue;
    ListState& list = view_.list(role);
    select_nothing(list);
    list.scroll += lines;
    keep_in_view(list, page_rows());
  }
}

}  // namespace pipetop::tui
