#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "engine/base/text.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/view.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

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
  add("a", state.reference.is_a ? "drop A" : "compare", {U'a'}, 2, "compare");
  add("L", "log", {U'L'}, 2);
  if (state.roof_gib_per_s) {
    add("R", "roof", {U'R'}, 4);
    items.back().lamp = state.roof_hidden ? Lamp::off : Lamp::on;
  }
}

}  // namespace

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
