// The meaning of keys, one row per key in the order of the help page, and of clicks and the wheel,
// by place.
#include "tui/dashboard/keymap.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "engine/registry/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/replay.h"
#include "tui/state/key_bar.h"
#include "tui/state/list_state.h"
#include "tui/state/ring_state.h"

namespace pipetop::tui {
namespace {

// Of the list with the focus.
template <void (*kAct)(ListState&, const ListChoice&)>
void on_list(DashboardState& view) {
  kAct(view.list(view.focus), view.choice);
}

// Switches to the next value of a choice, and returns what is said of it.
template <class T, size_t kValues>
std::string_view next(T& choice, const std::string_view (&messages)[kValues]) {
  const size_t value = (static_cast<size_t>(choice) + 1) % kValues;
  choice = static_cast<T>(value);
  return messages[value];
}

// In the show the keys of the lists choose the large part.
void choose_in_show(DashboardState& view, ShowPart chosen) {
  if (view.show.on) view.show.view = view.show.view == chosen ? ShowPart::functions : chosen;
}

std::string_view toggle_form(DashboardState& view) {
  choose_in_show(view, ShowPart::tree);
  return next(view.choice.form, {"functions; + opens callees", "call tree; + opens a row, E all"});
}

std::string_view toggle_sort(DashboardState& view) {
  return next(view.choice.sort(), {"sorted by self", "sorted by self and children"});
}

std::string_view toggle_activity(DashboardState& view) {
  choose_in_show(view, ShowPart::waiting);
  return next(view.choice.activity,
              {"where the processes run, by samples", "where the processes wait, by blocked time"});
}

std::string_view toggle_wall(DashboardState& view) {
  return next(view.choice.wall, {"shares of the listed total",
                                 "shares of wall time, with blocked and runnable time"});
}

std::string_view next_picture(DashboardState& view) {
  return next(view.ring.picture, {"ring: heat map and histogram, as room allows", "ring: histogram",
                                  "ring: heat map"});
}

void begin_filter(DashboardState& view) { view.choice.filter_before = view.choice.filter; }

}  // namespace

// The action of a key: a member, called with the row's number if it takes one, or a function of the
// view's state. Its result is shown as a message.
template <auto kAct>
void Controller::run(int n) {
  using Act = decltype(kAct);
  if constexpr (std::is_invocable_v<Act, DashboardState&>) {
    if constexpr (std::is_void_v<std::invoke_result_t<Act, DashboardState&>>) {
      kAct(state_);
    } else {
      say(std::string(kAct(state_)));
    }
  } else if constexpr (std::is_invocable_v<Act, Controller&, int>) {
    (this->*kAct)(n);
  } else {
    (this->*kAct)();
  }
}

struct Controller::Keymap {
  using C = Controller;
  using enum Outcome;
  template <auto kAct>
  static constexpr auto does = &C::run<kAct>;
  static constexpr int kAll = 1 << 20;
  static constexpr Binding kRows[] = {
      {U'1', does<&C::press_preset>, 0, {"1-9", "select a preset"}},
      {U'u', does<&C::undo>, 0, {"u U", "undo the last change, redo it"}},
      {U'U', does<&C::redo>},
      {U'0', does<&C::baseline>, 0, {"0", "back to the initial settings"}},
      {U'[', does<&C::step>, 0, {"[ ]", "single steps: one write, one read"}},
      {U']', does<&C::step>, 1},
      {U' ', does<&C::freeze>, 0, {"Space", "freeze the screen; data keeps flowing"}},
      {key::tab, does<&C::change_focus>, 1, {"Tab", "the other list; zoomed: the next panel"}},
      {key::back_tab, does<&C::change_focus>, -1},
      {key::left, does<&C::change_focus>, -1},
      {key::right, does<&C::change_focus>, 1},
      {U'j', does<&C::move>, 1, {"j k", "select a function; arrows do too"}},
      {key::down, does<&C::move>, 1},
      {U'k', does<&C::move>, -1},
      {key::up, does<&C::move>, -1},
      {key::page_down, does<&C::page>, 1, {"PgUp PgDn", "scroll; Home and End too"}},
      {key::page_up, does<&C::page>, -1},
      {key::home, does<&C::move>, -kAll},
      {key::end, does<&C::move>, kAll},
      {U'f', does<toggle_form>, 0, {"f", "flat function list, or call tree"}},
      {U'+', does<on_list<open_level>>, 0, {"+ Enter", "open or close the selected row"}},
      {key::enter, does<on_list<open_level>>},
      {U'e', does<on_list<open_entry>>, 0, {"e", "open or close all rows below it"}},
      {U'E', does<on_list<open_all>>, 0, {"E C", "open all, close all"}},
      {U'C', does<on_list<close_all>>},
      {U'o', does<toggle_sort>, 0, {"o", "sort by self, or by self and children"}},
      {U'/', does<begin_filter>, 0, {"/", "filter functions by name"}},
      {U'w', does<toggle_activity>, 0, {"w", "where processes run, or where they wait"}},
      {U'%', does<toggle_wall>, 0, {"%", "shares of samples, or of wall time"}},
      {U'n', does<&C::step_scene>, 1, {"n N", "next and previous scene of a talk"}},
      {U'N', does<&C::step_scene>, -1},
      {U'a', does<&C::compare>, 0, {"a", "keep this segment as A, to compare with"}},
      {U'L', does<&C::toggle_log>, 0, {"L", "log of the segments and their rates"}},
      {U'B', does<&C::toggle_ladder>, 0, {"B", "ladder: bars of the settings seen so far"}},
      {U'Z', does<&C::toggle_zoom>, 0, {"Z", "zoom one panel; Tab shows the next one"}},
      {U'S', does<&C::toggle_show>, 0, {"S", "the show: few and large things"}},
      {U'V', does<&C::next_show_part>, 0, {"V", "in the show: what the large part shows"}},
      {U'i', does<&C::press_inspect>, 0, {"i", "inspect a slot; arrows move, Esc leaves"}},
      {U'r', does<next_picture>, 0, {"r", "ring: histogram, heat map, or both"}},
      {U'P', does<&C::press_parts>, 0, {"P", "the ring, or the parts: pairs, clients"}},
      {U'R', does<&C::press_roof>, 0, {"R", "show or hide the roof (upper bound)"}},
      {U'x', does<&C::switch_counters>, 0, {"x", "BPF counters: percpu or shared"}},
      {U'W', does<&C::toggle_recording>, 0, {"W", "record to a new file, or end that"}},
      {U'T', &C::leave<next_theme>, 0, {"T", "next theme: dark, light, high contrast"}},
      {U'X', &C::leave<save_picture>, 0, {"X", "save this screen as a picture (SVG)"}},
      {U'M', &C::leave<toggle_mouse>, 0, {"M", "mouse on or off; off lets you select text"}},
      {U'!', does<&C::toggle_messages>, 0, {"!", "all messages, in full"}},
      {U'?', does<&C::toggle_help>, 0, {"?", "this help"}},
      {key::escape, does<&C::close>, 0, {"Esc", "close; clear filter or selection"}},
      {key::ctrl('L'), &C::leave<redraw_all>, 0, {"Ctrl-L", "redraw the screen"}},
      {key::ctrl('Z'), &C::leave<suspend>, 0, {"Ctrl-Z", "suspend; the workers stop too"}},
      {U'q', does<&C::quit>, 0, {"q", "close a page, else quit; Ctrl-C quits"}},
      {key::ctrl('C'), &C::leave<Outcome::quit>},
      {key::ctrl('\\'), &C::leave<abort>},
  };
};

std::span<const Controller::Binding> Controller::bindings() { return Keymap::kRows; }

std::span<const ScreenKey> screen_keys() {
  static const auto keys = [] {
    std::vector<ScreenKey> named;
    for (const auto& row : Controller::bindings()) {
      if (!row.help.keys.empty()) named.push_back(row.help);
    }
    return named;
  }();
  return keys;
}

std::span<const ScreenKey> screen_keys_of_replay() {
  static const auto keys = [] {
    const auto own = replay_keys();
    std::vector<ScreenKey> named(own.begin(), own.end());
    for (const auto& row : Controller::bindings()) {
      const bool own_meaning = row.key == U' ' || row.key == U'W';
      if (!row.help.keys.empty() && !own_meaning && !changes_settings(row.key))
        named.push_back(row.help);
    }
    return named;
  }();
  return keys;
}

void Controller::click(const Mouse& mouse) {
  if (state_.help.open || state_.messages.open) return close();
  const Layout places = layout();
  if (!places.fits) return;
  if (!state_.show.on && places.keys.contains(mouse.row, mouse.col)) {
    const auto items = place_keys(key_bar(places, state_), *shown_, state_);
    const Key key = key_at(items, mouse.row - places.keys.row, mouse.col);
    if (key != 0) press(key);
    return;
  }
  for (const Role role : roles_of(state_.on_screen())) {
    if (!state_.log.open && !state_.ladder.open &&
        panel_of(places, role).contains(mouse.row, mouse.col))
      click_list(role, mouse.row);
  }
  if (shows_parts(*shown_, state_)) return;
  if (const auto slot =
          slot_at(inside(places, places.ring), *shown_, state_.ring, mouse.row, mouse.col))
    state_.ring.inspected = slot;
}

// A click on the selected row opens or closes it.
void Controller::click_list(Role role, int row) {
  ListState& list = state_.list(role);
  state_.focus = role;
  const int line = function_line(list_of(layout(), role), row);
  const int index = list.scroll + line;
  if (line < 0 || index >= static_cast<int>(rows_of(list).size())) return;
  if (rows_of(list)[static_cast<size_t>(index)].is_heading()) return;
  if (index == list.selected) {
    open_level(list, state_.choice);
  } else {
    select(list, index);
  }
}

// The wheel scrolls the list; the selection moves along if necessary.
void Controller::scroll(const Mouse& mouse, int lines) {
  if (PageState* page = open_page()) {
    page->scroll += lines;
    return;
  }
  for (const Role role : roles_of(state_.on_screen())) {
    if (!panel_of(layout(), role).contains(mouse.row, mouse.col)) continue;
    ListState& list = state_.list(role);
    select_nothing(list);
    list.scroll += lines;
    keep_in_view(list, page_rows());
  }
}

}  // namespace pipetop::tui
