#include "tui/state/status.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/registry/workloads.h"
#include "engine/workload/pipe/verdict.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kInfoStays_ns = 10'000'000'000;
constexpr uint64_t kWarningStays_ns = 30'000'000'000;
constexpr uint64_t kTurn_ns = 4'000'000'000;  // of each error

// The newest notice of a severity, while it is new. A warning is about the settings of its time.
const Notice* newest(const Snapshot& s, Severity severity) {
  const uint64_t stays = severity == Severity::info ? kInfoStays_ns : kWarningStays_ns;
  const auto found =
      std::ranges::find(s.notices.rbegin(), s.notices.rend(), severity, &Notice::severity);
  if (found == s.notices.rend() || s.now_ns >= found->at_ns + stays) return nullptr;
  const bool outdated =
      severity == Severity::warning && found->at_ns < s.throughput.current.begin_ns;
  return outdated ? nullptr : &*found;
}

// Most pressing first.
std::vector<Message> what_is_wrong(const Snapshot& s) {
  std::vector<Message> wrong;
  const auto add = [&](Severity severity) {
    if (const Notice* notice = newest(s, severity)) wrong.push_back({notice->text, severity});
  };
  add(Severity::error);
  for (const Mismatch& m : s.effective.mismatches)
    wrong.push_back({fmt::format("{}: {} requested, {} effective{}{}", m.knob, m.requested,
                                 m.effective, m.reason.empty() ? "" : ": ", m.reason),
                     Severity::warning});
  add(Severity::warning);
  return wrong;
}

// Starts with the newest notice, so that it is read first.
size_t turn(const Snapshot& s, const ViewState& state, size_t count) {
  const uint64_t since = s.notices.empty() ? 0 : s.notices.back().at_ns;
  const uint64_t now = std::max(state.now_ns, since);
  return (now - since) / kTurn_ns % count;
}

// From the function up to its entry point, so that truncation removes the far end.
std::string path_text(const ListState& list) {
  std::string text;
  const auto rows = rows_of(list);
  for (const CallRow* row = selected_row(list); row;) {
    if (!text.empty()) text += " ← ";
    text += row->name;
    row = row->parent < 0 ? nullptr : &rows[static_cast<size_t>(row->parent)];
  }
  return text;
}

bool differs(const Snapshot& s, const ViewState& state, std::string_view knob) {
  if (s.requested != state.requested) return false;  // apparently not tried yet
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

KeyItem knob_item(const HotKey& hot, const Snapshot& s, const ViewState& state) {
  const Lamp lamp = differs(s, state, hot.knob) ? Lamp::differs
                    : !hot.lit                  ? Lamp::none
                    : hot.lit(state.requested)  ? Lamp::on
                                                : Lamp::off;
  return {std::string(1, hot.key),
          hot.lit ? toggle_text(hot, state.requested) : step_text(hot, s, state.requested),
          {static_cast<Key>(hot.key)},
          lamp};
}

std::vector<KeyItem> knob_items(const Snapshot& s, const ViewState& state) {
  std::vector<KeyItem> items;
  const HotKey* before = nullptr;
  for (const HotKey& hot : hot_keys(state.requested)) {
    const bool pair = before && !hot.lit && before->knob == hot.knob;
    if (pair) {
      items.back().keys += std::string(" ") + hot.key;
      items.back().presses.push_back(static_cast<Key>(hot.key));
    } else {
      items.push_back(knob_item(hot, s, state));
    }
    before = &hot;
  }
  return items;
}

void add_screen_items(std::vector<KeyItem>& items, const ViewState& state) {
  const ListChoice& choice = state.choice;
  const size_t presets = std::min<size_t>(state.presets.size(), 9);
  if (presets > 0) items.push_back({fmt::format("1-{}", presets), "presets", {}});
  const KeyItem keys[] = {
      {"u", "undo", {U'u'}},
      {"0", "baseline", {U'0'}},
      {"Space", state.frozen ? "resume" : "freeze", {U' '}},
      {"Tab", "focus", {key::tab}},
      {"f", choice.form == ListForm::flat ? "tree" : "flat", {U'f'}},
      {"w", choice.activity == Activity::running ? "waiting" : "running", {U'w'}},
      {"a", state.reference.is_a ? "drop A" : "compare", {U'a'}},
      {"L", "log", {U'L'}},
  };
  items.insert(items.end(), std::begin(keys), std::end(keys));
  if (state.roof_gib_per_s)
    items.push_back({"R", "roof", {U'R'}, state.roof_hidden ? Lamp::off : Lamp::on});
}

// Transport in place of the knobs, and those keys of the screen that change nothing else.
std::vector<KeyItem> replay_items(const ViewState& state) {
  const ReplayState& replay = *state.replay;
  std::vector<KeyItem> items = {{"Space",
                                 replay.at_end() ? "again"
                                 : replay.paused ? "play"
                                                 : "pause",
                                 {U' '}},
                                {"Left Right", "5 s", {key::left, key::right}},
                                {"n N", "change", {U'n', U'N'}},
                                {"< >", "speed", {U'<', U'>'}},
                                {", .", "frame", {U',', U'.'}}};
  std::vector<KeyItem> screen;
  add_screen_items(screen, state);
  for (KeyItem& item : screen)
    if (!item.presses.empty() && item.presses[0] != U' ' && !changes_settings(item.presses[0]))
      items.push_back(std::move(item));
  return items;
}

void place(KeyItem& item, int row, int col) { item.place = {row, col, 1, item.columns()}; }

}  // namespace

bool changes_settings(Key key) {
  constexpr std::u32string_view kKeys = U"uU0x";
  return (key >= U'1' && key <= U'9') || kKeys.find(key) != kKeys.npos;
}

std::string verdict_text(const Verdict& verdict) {
  return fmt::format("{}: {}", to_text(verdict.bound), verdict.because);
}

Message message_of(const Snapshot& s, const ViewState& state, VerdictAt verdict) {
  if (state.choice.filter_before)
    return {fmt::format("/{}_   Enter keeps the filter, Esc drops it", state.choice.filter)};
  if (!state.message.empty()) return {state.message, state.severity};
  if (state.replay && state.replay->at_end() && !state.replay->damage.empty())
    return {"the recording is " + std::string(state.replay->damage), Severity::warning};
  std::vector<Message> wrong = what_is_wrong(s);
  if (!wrong.empty()) {
    const size_t n = turn(s, state, wrong.size());
    if (wrong.size() > 1)
      wrong[n].text = fmt::format("({} of {}) {}", n + 1, wrong.size(), wrong[n].text);
    return wrong[n];
  }
  if (const Notice* news = newest(s, Severity::info)) return {news->text};
  if (!state.log.open && selected_row(state.list(state.focus)))
    return {path_text(state.list(state.focus))};
  const bool stamped = s.requested.pipe.payload == Payload::stamped;
  if (stamped && s.integrity.status == ReadingStatus::unavailable) return {s.integrity.reason};
  if (verdict == VerdictAt::message && s.verdict.has_value()) return {verdict_text(*s.verdict)};
  return {s.effective.pipe.zero_copy_reason};
}

int KeyItem::columns() const {
  return columns_of(keys) + 1 + columns_of(text) + (lamp == Lamp::none ? 0 : 2);
}

std::vector<KeyItem> place_keys(const Rect& bar, const Snapshot& s, const ViewState& state) {
  std::vector<KeyItem> items = state.replay ? replay_items(state) : knob_items(s, state);
  // The ways back must have a place.
  if (state.zoom) items.insert(items.begin(), {"Z", "back", {U'Z'}});
  if (state.talk.presenting) items.insert(items.begin(), {"S-Tab", "talk", {key::back_tab}});
  if (!state.replay) add_screen_items(items, state);
  KeyItem help{"?", "help", {U'?'}}, quit{"q", "quit", {U'q'}};
  const int gap = bar.cols >= 110 ? 3 : bar.cols >= 72 ? 2 : 1;
  place(quit, bar.rows - 1, bar.cols - quit.columns() - 1);
  place(help, bar.rows - 1, quit.place.col - help.columns() - gap);
  int row = 0, col = 1;
  const auto end_of = [&](int r) {
    return r + 1 == bar.rows ? help.place.col - gap : bar.cols - 1;
  };
  for (KeyItem& item : items) {
    if (col + item.columns() > end_of(row) && row + 1 < bar.rows) ++row, col = 1;
    if (col + item.columns() > end_of(row)) continue;
    place(item, row, col);
    col += item.columns() + gap;
  }
  items.push_back(std::move(help));
  items.push_back(std::move(quit));
  return items;
}

Key key_at(const std::vector<KeyItem>& items, int row, int col) {
  for (const KeyItem& item : items) {
    if (item.presses.empty() || !item.place.contains(row, col)) continue;
    const auto n = static_cast<int>(item.presses.size());
    const int part = (col - item.place.col) * n / item.place.cols;
    return item.presses[static_cast<size_t>(part)];
  }
  return 0;
}

}  // namespace pipetop::tui
