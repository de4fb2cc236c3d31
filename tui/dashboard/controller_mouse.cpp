// The controller's hands: what a click or the wheel means where it happens.
#include "engine/registry/terms.h"
#include "tui/dashboard/controller.h"
#include "tui/state/layout.h"
#include "tui/widgets/key_bar.h"
#include "tui/widgets/parts.h"
#include "tui/widgets/ring.h"
#include "tui/widgets/worker.h"

namespace pipetop::tui {
namespace {

constexpr int kWheelLines = 3;

}  // namespace

Outcome Controller::handle(const Mouse& mouse, const Snapshot& shown) {
  if (mouse.act == MouseAct::press) return click(mouse, shown);
  wheel(mouse, mouse.act == MouseAct::wheel_up ? -kWheelLines : kWheelLines);
  return Outcome::stay;
}

Outcome Controller::click(const Mouse& mouse, const Snapshot& shown) {
  if (view_.help) {
    close();
    return Outcome::stay;
  }
  const Layout layout = make_layout(rows_, cols_, view_.requested);
  if (!layout.fits) return Outcome::stay;
  if (layout.keys.contains(mouse.row, mouse.col)) {
    const auto items = place_keys(layout.keys, shown, view_);
    const Key key = key_at(items, mouse.row - layout.keys.row, mouse.col);
    return key == 0 ? Outcome::stay : act(command_for(key, view_.requested), key, shown);
  }
  for (const Role role : roles_of(view_.requested)) {
    if (!view_.log && panel_of(layout, role).contains(mouse.row, mouse.col))
      click_list(role, mouse.row, shown);
  }
  if (shows_parts(shown, view_)) return Outcome::stay;
  const Rect ring = inside(layout, layout.ring);
  if (const auto slot =
          slot_at(ring.rows, ring.cols, shown, view_, mouse.row - ring.row, mouse.col - ring.col))
    view_.ring.inspected = slot;
  return Outcome::stay;
}

// A second click on a row opens or closes it.
void Controller::click_list(Role role, int row, const Snapshot& shown) {
  const Rect panel = inside(make_layout(rows_, cols_, view_.requested),
                            panel_of(make_layout(rows_, cols_, view_.requested), role));
  ListState& list = view_.list(role);
  view_.focus = role;
  const int line = function_line(panel.rows, panel.cols, row - panel.row);
  const int index = list.scroll + line;
  if (line < 0 || index >= static_cast<int>(rows_of(list).size())) return;
  if (index == list.selected) {
    act({Act::open_level}, key::enter, shown);
  } else {
    select(list, index);
  }
}

void Controller::wheel(const Mouse& mouse, int lines) {
  if (int* scroll = page_scroll()) {
    *scroll += lines;
    return;
  }
  const Layout layout = make_layout(rows_, cols_, view_.requested);
  for (const Role role : roles_of(view_.requested))
    if (panel_of(layout, role).contains(mouse.row, mouse.col)) scroll(role, lines);
}

// The wheel moves the list under a selection, which then gives way.
void Controller::scroll(Role role, int lines) {
  ListState& list = view_.list(role);
  select_nothing(list);
  list.scroll += lines;
  follow(list, page_rows());
}

}  // namespace pipetop::tui
