// The meaning of keys, one row per key in the order of the help page, and of clicks and the wheel,
// by place.
#include "tui/dashboard/keymap.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>

#include "engine/base/text.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/view.h"
#include "tui/draw/text.h"
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
  const CallRow* row = row_of(rows, function);
  list.scroll = row ? std::max(0, static_cast<int>(row - rows.data()) - visible + 1) : 0;
}

// ---- the keys at the bottom ----

constexpr int kNamedPresets = 150;  // columns from which on the preset is named

bool differs(const Snapshot& s, const DashboardState& state, std::string_view knob) {
  if (s.requested != state.on_screen()) return false;  // apparently not tried yet
  // The knob "wait" covers both roles.
  return std::ranges::any_of(s.effective.mismatches, [&](const Mismatch& m) {
    return m.knob == knob || (knob == "wait" && m.knob.ends_with(".wait"));
  });
}

// A choice between more than two shows its value, e.g. "hugetlb".
std::string toggle_text(const HotKey& hot, const Settings& settings) {
  const Knob* knob = find_knob(hot.knob);
  const bool many = knob && knob->values.size() > 2 && hot.knob != "wait";
  return many && hot.lit(settings) ? hot.value(settings) : std::string(hot.label);
}

// A size of `auto` is shown as its actual value.
std::string step_text(const HotKey& hot, const Snapshot& s, const Settings& requested) {
  std::string value = hot.value(requested);
  if (hot.knob == "placement") return value;
  if (hot.knob == "pipe_size" && value == "auto" && s.effective.pipe.bytes > 0)
    value = format_size(s.effective.pipe.bytes);
  if (value.ends_with("iB")) value.resize(value.size() - 2);
  // "pipe -" and "pipe +" share the word before the sign.
  return fmt::format("{} {}", hot.label.substr(0, hot.label.find(' ')), value);
}

// How much a talk needs a knob's key; the rest is on the help page.
int rank_of(const HotKey& hot) {
  constexpr std::string_view kSeldom[] = {"gift", "wait", "pipe_size", "buf_size"};
  constexpr std::string_view kRarely[] = {"touch_pages", "lock_memory", "placement", "pairs",
                                          "observers"};
  if (hot.key == 'b') return 1;
  if (std::ranges::find(kRarely, hot.knob) != std::end(kRarely) || hot.key == 'z') return 5;
  return std::ranges::find(kSeldom, hot.knob) != std::end(kSeldom) ? 3 : 1;
}

std::string item_text(const HotKey& hot, const Snapshot& s, const Settings& settings) {
  return hot.lit ? toggle_text(hot, settings) : step_text(hot, s, settings);
}

// Looks at all values that the key leads to.
int find_widest_text(const HotKey& hot) {
  constexpr int kMostPresses = 64;
  Settings settings;
  settings.workload = workload_of(*find_knob(hot.knob));
  int widest = 0;
  for (int i = 0; i < kMostPresses; ++i, hot.press(settings))
    widest = std::max(widest, columns_of(item_text(hot, {}, settings)));
  return widest;
}

int widest_text(const HotKey& hot) {
  static std::map<const HotKey*, int> found;
  const auto [entry, is_new] = found.try_emplace(&hot);
  if (is_new) entry->second = find_widest_text(hot);
  return entry->second;
}

KeyItem knob_item(const HotKey& hot, const Snapshot& s, const DashboardState& state) {
  const Settings& settings = state.on_screen();
  const Lamp lamp = differs(s, state, hot.knob) ? Lamp::differs
                    : !hot.lit                  ? Lamp::none
                    : hot.lit(settings)         ? Lamp::on
                                                : Lamp::off;
  return {.keys = std::string(1, hot.key),
          .text = item_text(hot, s, settings),
          .presses = {static_cast<Key>(hot.key)},
          .lamp = lamp,
          .rank = rank_of(hot),
          .widest = widest_text(hot)};
}

// Keys of one knob share an item: those that step it down and up, or that have the same label.
std::vector<KeyItem> knob_items(const Snapshot& s, const DashboardState& state) {
  std::vector<KeyItem> items;
  const HotKey* before = nullptr;
  for (const HotKey& hot : hot_keys(state.on_screen())) {
    const bool shares =
        before && before->knob == hot.knob && (!hot.lit || before->label == hot.label);
    if (shares) {
      items.back().keys += std::string(" ") + hot.key;
      items.back().presses.push_back(static_cast<Key>(hot.key));
      items.back().widest = std::max(items.back().widest, widest_text(hot));
    } else {
      items.push_back(knob_item(hot, s, state));
    }
    before = &hot;
  }
  return items;
}

KeyItem presets_item(const DashboardState& state) {
  const size_t count = std::min<size_t>(state.presets.size(), 9);
  KeyItem item{.keys = fmt::format("1-{}", count),
               .text = std::string(state.preset_name()),
               .presses = {},
               .rank = 1,
               .brief = "presets"};
  item.widest = columns_of("custom");
  for (const Preset& preset : state.presets.first(count))
    item.widest = std::max(item.widest, columns_of(preset.name));
  return item;
}

void add_screen_items(std::vector<KeyItem>& items, const DashboardState& state) {
  const ListChoice& choice = state.choice;
  const auto add = [&](std::string keys, std::string text, std::vector<Key> presses, int rank,
                       std::string_view other = {}) {
    const int widest = std::max(columns_of(text), columns_of(other));
    items.push_back({.keys = std::move(keys),
                     .text = std::move(text),
                     .presses = std::move(presses),
                     .rank = rank,
                     .widest = widest});
  };
  if (!state.replay) {
    if (state.on_screen().workload == WorkloadKind::pipe) add("[ ]", "steps", {U'[', U']'}, 3);
    if (!state.presets.empty()) items.push_back(presets_item(state));
    add("u U", "undo", {U'u', U'U'}, 1);
    add("0", "baseline", {U'0'}, 4);
    add("Space", state.frozen ? "resume" : "freeze", {U' '}, 2);
  }
  if (!state.shows_pipeline()) add("Tab", "focus", {key::tab}, 2);
  add("f", choice.form == ListForm::flat ? "tree" : "flat", {U'f'}, 2);
  add("w", choice.activity == Activity::running ? "waiting" : "running", {U'w'}, 2);
  constexpr std::string_view kCompare[] = {"compare", "turns", "stop", "drop A"};
  add("a", std::string(kCompare[size_t(state.next_compare())]), {U'a'}, 2, "compare");
  add("L", "log", {U'L'}, 2);
  if (state.roof_gib_per_s) {
    add("R", "roof", {U'R'}, 4);
    items.back().lamp = state.roof_hidden ? Lamp::off : Lamp::on;
  }
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
      {U'a', does<&C::compare>, 0, {"a", "keep this as A; again: compare in turns"}},
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

std::vector<KeyItem> place_keys(const Rect& bar, const Snapshot& s, const DashboardState& state) {
  std::vector<KeyItem> items = state.replay ? transport_items(*state.replay) : knob_items(s, state);
  // The ways back must have a place.
  if (state.shows_pipeline())
    items.insert(items.begin(), {.keys = "Tab", .text = "dashboard", .presses = {key::tab}});
  else if (state.zoom)
    items.insert(items.begin(), {.keys = "Z", .text = "back", .presses = {U'Z'}});
  if (state.talk.presenting)
    items.insert(items.begin(), {.keys = "S-Tab", .text = "talk", .presses = {key::back_tab}});
  add_screen_items(items, state);
  if (bar.cols < kNamedPresets)
    for (KeyItem& item : items)
      if (!item.brief.empty()) item.text = item.brief, item.widest = 0;
  return place_keys(bar, std::move(items));
}

}  // namespace pipetop::tui
