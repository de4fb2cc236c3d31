// The meaning of keys, one row per key in the order of the help page, and of clicks and the wheel,
// by place.
#include "tui/dashboard/keymap.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "engine/workload/table/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/layout.h"
#include "tui/dashboard/view.h"
#include "tui/widgets/list_state.h"
#include "tui/widgets/ring_state.h"

namespace pipetop::tui {
namespace {

// ---- the lists ----

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

struct Controller::Keymap {
  using C = Controller;
  static constexpr auto kPreset = does<&C::press_preset>;
  static constexpr auto kRecords = does<&C::leave<Outcome::toggle_recording>>;
  static constexpr auto kChangeFocus = does<&C::change_focus>;
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
  static constexpr KeyRow kFocus[] = {
      {key::tab, kChangeFocus, 1, {"Tab", "the other list, then the pipeline, and back"}},
      {key::back_tab, kChangeFocus, -1},
      {key::left, does<&C::step_focus>, -1},
      {key::right, does<&C::step_focus>, 1},
  };
  static constexpr KeyRow kScreens[] = {
      {U'n', does<&C::step_scene>, 1, {"n N", "next and previous scene of a talk"}},
      {U'N', does<&C::step_scene>, -1},
      {U'a', does<&C::compare>, 0, {"a", "keep this segment as A, to compare with"}},
      {U'L', does<&C::toggle_log>, 0, {"L", "log of the segments and their rates"}},
      {U'B', does<&C::toggle_ladder>, 0, {"B", "ladder: bars of the settings seen so far"}},
      {U'Z', does<&C::toggle_zoom>, 0, {"Z", "zoom one panel; Tab shows the next one"}},
      {U'S', does<&C::toggle_show>, 0, {"S", "the show: few and large things"}},
      {U'V', does<&C::next_show_part>, 0, {"V", "in the show: what the large part shows"}},
      {U'i', does<&C::press_inspect>, 0, {"i", "inspect a slot; arrows move, Esc leaves"}},
      {U'r', does<&C::next_picture>, 0, {"r", "ring: histogram, heat map, or both"}},
      {U'P', does<&C::press_parts>, 0, {"P", "the ring, or the parts: pairs, clients"}},
      {U'R', does<&C::press_roof>, 0, {"R", "show or hide the roof (upper bound)"}},
  };
  static constexpr KeyRow kAlways[] = {
      {key::escape, does<&C::close>, 0, {"Esc", "close; clear filter or selection"}},
      {U'W', kRecords, 0, {"W", "record to a new file, or end that"}},
  };
};

std::vector<KeyTable> Controller::keys() {
  return {moving_keys(),      {Keymap::kChanges},      {Keymap::kFocus}, list_keys(),
          {Keymap::kScreens}, {Keymap::kAlways, true}, page_keys(),      terminal_keys()};
}

std::vector<KeyTable> Controller::keys_of_replay() {
  return {transport_keys(),   moving_keys(),           {Keymap::kFocus}, list_keys(),
          {Keymap::kScreens}, {Keymap::kAlways, true}, page_keys(),      terminal_keys()};
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
  if (watched_) return pass_on(watched_->handle({Input::Kind::mouse, 0, mouse}));
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
    if (state_.log.open || state_.ladder.open ||
        !panel_of(places, role).contains(mouse.row, mouse.col))
      continue;
    state_.focus = role;
    click_list(list(), list_of(places, role), mouse.row);
  }
  if (shows_parts(*shown_, state_)) return;
  const auto ring = slots();
  if (!ring) return;
  if (const auto slot = slot_at(*ring, mouse.row, mouse.col)) state_.ring.inspected = slot;
}

void Controller::scroll(const Mouse& mouse, int lines) {
  if (watched_) return pass_on(watched_->handle({Input::Kind::mouse, 0, mouse}));
  for (const Role role : roles_of(state_.on_screen()))
    if (panel_of(layout(), role).contains(mouse.row, mouse.col))
      scroll_list(state_.list(role), lines);
}

// In the show the keys of the lists choose the large part.
void Controller::choose_in_show(ShowPart chosen) {
  ShowState& show = state_.show;
  if (show.on) show.view = show.view == chosen ? ShowPart::functions : chosen;
}

void Controller::toggle_form() {
  choose_in_show(ShowPart::tree);
  ListScreen::toggle_form();
}

void Controller::toggle_activity() {
  choose_in_show(ShowPart::waiting);
  ListScreen::toggle_activity();
}

void Controller::next_picture() {
  constexpr std::string_view kSaid[] = {"ring: heat map and histogram, as room allows",
                                        "ring: histogram", "ring: heat map"};
  const size_t next = (static_cast<size_t>(state_.ring.picture) + 1) % std::size(kSaid);
  state_.ring.picture = static_cast<RingPicture>(next);
  say(std::string(kSaid[next]));
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

}  // namespace pipetop::tui
