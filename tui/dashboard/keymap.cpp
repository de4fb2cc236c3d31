// The meaning of keys, one row per key in the order of the help page, and of clicks and the wheel,
// by place.
#include "tui/dashboard/keymap.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>
#include <vector>

#include "engine/registry/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/pipeline_page.h"
#include "tui/state/key_bar.h"
#include "tui/state/layout.h"
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

// ---- the lists ----

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

// The action of a function of the view's state. What it returns is shown as a message.
template <auto kAct>
void Controller::on_state(Screen& screen, int) {
  auto& own = static_cast<Controller&>(screen);
  if constexpr (std::is_void_v<decltype(kAct(own.state_))>)
    kAct(own.state_);
  else
    own.say(std::string(kAct(own.state_)));
}

struct Controller::Keymap {
  using C = Controller;
  static constexpr auto kPreset = does<&C::press_preset>;
  static constexpr auto kRecords = does<&C::leave<Outcome::toggle_recording>>;
  static constexpr auto kFocus = does<&C::change_focus>;
  // They change settings, as the knobs' keys do.
  static constexpr KeyRow kChanges[] = {
      {U'1', kPreset, 0, {"1-9", "select a preset"}},
      {U'2', kPreset, 1},
      {U'3', kPreset, 2},
      {U'4', kPreset, 3},
      {U'5', kPreset, 4},
      {U'6', kPreset, 5},
      {U'7', kPreset, 6},
      {U'8', kPreset, 7},
      {U'9', kPreset, 8},
      {U'u', does<&C::undo>, 0, {"u U", "undo the last change, redo it"}},
      {U'U', does<&C::redo>},
      {U'0', does<&C::baseline>, 0, {"0", "back to the initial settings"}},
      {U'[', does<&C::step>, 0, {"[ ]", "single steps: one write, one read"}},
      {U']', does<&C::step>, 1},
      {U'x', does<&C::switch_counters>, 0, {"x", "BPF counters: percpu or shared"}},
  };
  static constexpr KeyRow kShows[] = {
      {key::tab, kFocus, 1, {"Tab", "the other list, then the pipeline, and back"}},
      {key::back_tab, kFocus, -1},
      {key::left, does<&C::step_focus>, -1},
      {key::right, does<&C::step_focus>, 1},
      {U'f', on_state<toggle_form>, 0, {"f", "flat function list, or call tree"}},
      {U'+', on_state<on_list<open_level>>, 0, {"+ Enter", "open or close the selected row"}},
      {key::enter, on_state<on_list<open_level>>},
      {U'e', on_state<on_list<open_entry>>, 0, {"e", "open or close all rows below it"}},
      {U'E', on_state<on_list<open_all>>, 0, {"E C", "open all, close all"}},
      {U'C', on_state<on_list<close_all>>},
      {U'o', on_state<toggle_sort>, 0, {"o", "sort by self, or by self and children"}},
      {U'/', on_state<begin_filter>, 0, {"/", "filter functions by name"}},
      {U'w', on_state<toggle_activity>, 0, {"w", "where processes run, or where they wait"}},
      {U'%', on_state<toggle_wall>, 0, {"%", "shares of samples, or of wall time"}},
      {U'n', does<&C::step_scene>, 1, {"n N", "next and previous scene of a talk"}},
      {U'N', does<&C::step_scene>, -1},
      {U'a', does<&C::compare>, 0, {"a", "keep this segment as A, to compare with"}},
      {U'L', does<&C::toggle_log>, 0, {"L", "log of the segments and their rates"}},
      {U'B', does<&C::toggle_ladder>, 0, {"B", "ladder: bars of the settings seen so far"}},
      {U'Z', does<&C::toggle_zoom>, 0, {"Z", "zoom one panel; Tab shows the next one"}},
      {U'S', does<&C::toggle_show>, 0, {"S", "the show: few and large things"}},
      {U'V', does<&C::next_show_part>, 0, {"V", "in the show: what the large part shows"}},
      {U'i', does<&C::press_inspect>, 0, {"i", "inspect a slot; arrows move, Esc leaves"}},
      {U'r', on_state<next_picture>, 0, {"r", "ring: histogram, heat map, or both"}},
      {U'P', does<&C::press_parts>, 0, {"P", "the ring, or the parts: pairs, clients"}},
      {U'R', does<&C::press_roof>, 0, {"R", "show or hide the roof (upper bound)"}},
  };
  static constexpr KeyRow kAlways[] = {
      {key::escape, does<&C::close>, 0, {"Esc", "close; clear filter or selection"}},
      {U'W', kRecords, 0, {"W", "record to a new file, or end that"}},
  };
};

std::vector<KeyTable> Controller::keys() {
  return {moving_keys(),           {Keymap::kChanges}, {Keymap::kShows},
          {Keymap::kAlways, true}, page_keys(),        terminal_keys()};
}

std::vector<KeyTable> Controller::keys_of_replay() {
  return {transport_keys(),        moving_keys(), {Keymap::kShows},
          {Keymap::kAlways, true}, page_keys(),   terminal_keys()};
}

// Knobs, and in a recording what would change settings.
bool Controller::press_last(Key key) {
  const auto knobs = hot_keys(state_.requested);
  const auto knob = std::ranges::find(knobs, key, [](const HotKey& hot) { return Key(hot.key); });
  const bool is_knob = knob != knobs.end();
  if (state_.replay && (is_knob || std::ranges::find(Keymap::kChanges, key, &KeyRow::key) !=
                                       std::end(Keymap::kChanges)))
    refuse_change();
  else if (is_knob)
    press_knob(*knob);
  else
    return false;
  return true;
}

std::span<const ScreenKey> screen_keys() {
  static const auto keys = tui::help_of(Controller::keys(), kAnywhere);
  return keys;
}

std::span<const ScreenKey> screen_keys_of_replay() {
  static const auto keys = tui::help_of(Controller::keys_of_replay(), kAnywhere);
  return keys;
}

std::span<const ScreenKey> replay_keys() {
  static const auto keys = tui::help_of(std::array{transport_keys()}, kAnywhere);
  return keys;
}

void Controller::click(const Mouse& mouse) {
  const Layout places = layout();
  if (!places.fits) return;
  if (!state_.show.on && places.keys.contains(mouse.row, mouse.col)) {
    const auto items = place_keys(key_bar(places, state_), *shown_, state_);
    const Key key = key_at(items, mouse.row - places.keys.row, mouse.col);
    if (key != 0) press(key);
    return;
  }
  if (state_.shows_pipeline())
    if (const auto panel = panel_at(places.pipeline, pipeline_, mouse.row, mouse.col))
      return select_in_pipeline(*panel);
  for (const Role role : roles_of(state_.on_screen())) {
    if (!state_.log.open && !state_.ladder.open &&
        panel_of(places, role).contains(mouse.row, mouse.col))
      click_list(role, mouse.row);
  }
  if (shows_parts(*shown_, state_)) return;
  const auto slots =
      place_slots(inside(places, places.ring), shown_->ring, state_.ring, pace_of(*shown_));
  if (!slots) return;
  if (const auto slot = slot_at(*slots, mouse.row, mouse.col)) state_.ring.inspected = slot;
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
  for (const Role role : roles_of(state_.on_screen())) {
    if (!panel_of(layout(), role).contains(mouse.row, mouse.col)) continue;
    ListState& list = state_.list(role);
    select_nothing(list);
    list.scroll += lines;
    keep_in_view(list, page_rows());
  }
}

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
  const auto slots = place_slots(panel, shown.ring, state, pace_of(shown));
  if (!slots) return false;
  const auto to =
      slot_after(slots->frame, slots->plan.strip_style.scale, *state.inspected, pressed);
  if (to) state.inspected = to;
  return to.has_value();
}

}  // namespace pipetop::tui
