#include "tui/dashboard/talk.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <string>
#include <utility>

#include "engine/workload/table/workloads.h"
#include "tui/draw/text.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {
namespace {

using Page = TalkState::Page;
using Does = TalkPress::Does;

constexpr size_t kMaxDigits = 3;
constexpr size_t kIndexPage = 10;

bool is_one_of(Key pressed, std::initializer_list<Key> keys) {
  return std::ranges::find(keys, pressed) != keys.end();
}
// The terminal's and the process's own, wherever they are pressed.
bool is_the_terminals(Key k) {
  return is_one_of(k, {key::ctrl('L'), key::ctrl('Z'), key::ctrl('C'), key::ctrl('\\')});
}

// Keys of the dashboard that are safe in front of an audience: they change how a scene is looked
// at, and take no further keys.
bool is_for_the_show(Key k) {
  return is_one_of(k, {U'V', U'Z', U'B', U'R', U'f', U'w', U'[', U']', U'!'});
}

// As clickers and slide tools send them.
bool is_next_scene(Key k) {
  return is_one_of(k, {key::right, key::down, key::page_down, U' ', key::enter, U'n'});
}
bool is_scene_before(Key k) {
  return is_one_of(k, {key::left, key::up, key::page_up, key::backspace, Key(0x7F), U'N'});
}

TalkPress say(std::string words) { return {Does::say, 0, std::move(words)}; }

// Without a number the last one, as in a pager.
TalkPress go_to_typed(TalkState& talk) {
  const size_t last = talk.last_number();
  size_t number = last;
  const std::string typed = std::exchange(talk.typed, {});
  std::from_chars(typed.data(), typed.data() + typed.size(), number);
  if (number < 1 || number > last)
    return say(fmt::format("there is no scene {}: give 1 to {}", number, last));
  for (size_t i = 0; i < talk.scenes.size(); ++i)
    if (number_of(talk.scenes, i) == number) return {Does::enter, i};
  return say(fmt::format("scene {} was not recorded", number));
}

TalkPress press_index(TalkState& talk, Key k) {
  const size_t last = talk.scenes.size() - 1;
  const auto by = [&](size_t n) { return std::min(last, talk.selected + n); };
  const auto back = [&](size_t n) { return talk.selected - std::min(n, talk.selected); };
  if (is_one_of(k, {key::enter, U' '})) return {Does::enter, talk.selected};
  if (is_one_of(k, {key::down, key::right, U'j', U'n'}))
    talk.selected = by(1);
  else if (is_one_of(k, {key::up, key::left, U'k', U'N'}))
    talk.selected = back(1);
  else if (k == key::page_down)
    talk.selected = by(kIndexPage);
  else if (k == key::page_up)
    talk.selected = back(kIndexPage);
  else if (k == key::home)
    talk.selected = 0;
  else if (k == key::end)
    talk.selected = last;
  else if (is_one_of(k, {key::escape, key::ctrl('P'), U'q'}))
    talk.page = Page::none;
  return {};
}

TalkPress press_page(TalkState& talk, Key k) {
  if (talk.page == Page::index) return press_index(talk, k);
  const bool leaves = talk.page == Page::leaving && is_one_of(k, {U'y', U'Y'});
  talk.page = Page::none;
  return leaves ? TalkPress{Does::leave} : TalkPress{};
}

// Its keys are the dashboard's, but for the ways out.
TalkPress press_live(TalkState& talk, ShowState& show, Key k) {
  if (k == key::back_tab) {
    show.on = true;
    return {};
  }
  if (k == U'q') {
    talk.page = Page::leaving;
    return {};
  }
  if (k == U'n' || k == U'N') return step_scene(talk, k == U'n' ? 1 : -1);
  if (k == U'F') return {Does::switch_over};
  return {Does::not_ours};
}

void open_index(TalkState& talk) {
  talk.page = Page::index;
  talk.selected = talk.at.value_or(0);
}

TalkPress show_knobs(ShowState& show) {
  show.on = false;
  return say("the dashboard with its keys; Shift-Tab goes back to the talk");
}

TalkPress press_show(TalkState& talk, ShowState& show, Key k) {
  if (k >= U'0' && k <= U'9') {
    if (talk.typed.size() < kMaxDigits) append_utf8(talk.typed, k);
    return {};
  }
  if (!talk.typed.empty() && is_one_of(k, {U'G', key::enter})) return go_to_typed(talk);
  talk.typed.clear();
  if (is_one_of(k, {U'.', U'b'})) {  // clickers send either
    show.blank = !show.blank;
    return {};
  }
  show.blank = false;
  if (is_next_scene(k)) return step_scene(talk, 1);
  if (is_scene_before(k)) return step_scene(talk, -1);
  if (k == key::home) return {Does::enter, 0};
  if (is_one_of(k, {key::end, U'G'})) return go_to_typed(talk);
  if (k == key::ctrl('P'))
    open_index(talk);
  else if (k == U'?')
    talk.page = Page::keys;
  else if (k == U'q')
    talk.page = Page::leaving;
  else if (k == key::tab)
    return show_knobs(show);
  else if (k == U'F')
    return {Does::switch_over};
  else if (k == U'T')
    return {Does::switch_transitions};
  else if (is_for_the_show(k))
    return {Does::not_ours};
  else if (k > 0x20 && k != 0x7F && k < key::up)
    return say("Tab shows the knobs and their keys");
  return {};
}

// A verdict says that the rate has been steady; some workloads and pipelines have none.
bool is_settled(const TalkState& talk, const Snapshot& now) {
  constexpr uint64_t kWithoutVerdict_ns = 3'000'000'000, kUnknown_ns = 10'000'000'000;
  constexpr uint64_t kNever_ns = 60'000'000'000;  // nobody may be there to go on
  if (now.watched)
    return now.watched->verdict.kind != Verdict::Kind::unknown ||
           talk.now_ns >= talk.entered_ns + kUnknown_ns;
  if (!now.effective.settled) return talk.now_ns >= talk.entered_ns + kNever_ns;
  return now.verdict.has_value() || talk.now_ns >= talk.entered_ns + kWithoutVerdict_ns;
}

constexpr int kTalkKeyCols = 14;

void draw_index(Canvas& canvas, const TalkState& talk) {
  const int count = static_cast<int>(talk.scenes.size());
  int cols = 0;
  for (const Scene& scene : talk.scenes) cols = std::max(cols, columns_of(scene.title) + 5);
  const Area area = draw_dialog(canvas, "scenes", "Enter goes there, Esc closes",
                                std::min(count, canvas.rows() - 4), cols);
  const int selected = static_cast<int>(talk.selected);
  const int first = std::clamp(selected - area.rows() / 2, 0, std::max(0, count - area.rows()));
  for (int row = 0; row < area.rows() && first + row < count; ++row) {
    const int i = first + row;
    const bool current = talk.at == static_cast<size_t>(i);
    const size_t number = number_of(talk.scenes, static_cast<size_t>(i));
    area.put(row, 0, fmt::format("{:>3}", number), current ? Style::mark : Style::dim);
    area.put_fitted(row, 5, area.cols() - 5, talk.scenes[static_cast<size_t>(i)].title,
                    current ? Style::mark : Style::plain);
    if (i == selected) area.set_ink(row, {Style::value, kReverse});
  }
}

void draw_keys_page(Canvas& canvas) {
  const auto keys = talk_keys();
  int cols = 0;
  for (const ScreenKey& k : keys) cols = std::max(cols, columns_of(k.help) + kTalkKeyCols + 1);
  const Area area =
      draw_dialog(canvas, "keys of a talk", "any key closes", static_cast<int>(keys.size()), cols);
  for (int row = 0; row < static_cast<int>(keys.size()); ++row) {
    const ScreenKey& k = keys[static_cast<size_t>(row)];
    area.put(row, 1, k.keys, Style::key);
    area.put_fitted(row, 1 + kTalkKeyCols, area.cols() - 1 - kTalkKeyCols, k.help, Style::plain);
  }
}

void draw_typed(Canvas& canvas, const TalkState& talk) {
  const Area area = draw_dialog(canvas, "go to scene", "", 1, 38);
  Pen(area, 0, 1)
      .text(talk.typed, Style::value)
      .text(fmt::format(" of {}   ", talk.last_number()), Style::dim)
      .text("G", Style::key)
      .text(" goes there   ")
      .text("Esc", Style::key)
      .text(" stays");
}

}  // namespace

bool sees_no_functions(const Snapshot& shown) {
  return std::ranges::all_of(roles_of(shown.requested), [&](Role role) {
    return shown.worker(role).functions.status == ReadingStatus::unavailable;
  });
}

void show_recorded(const RecordedMark& scene, ShowState& show) {
  show.view = scene.view;
  show.highlight = scene.highlight;
  show.title = scene.label;
  show.caption = scene.caption;
  show.scene = scene.number;
}

bool in_transition(const RecordedMark& scene, const Snapshot& shown) {
  constexpr uint64_t kSlack_ns = 500'000'000;  // until it runs at full speed
  return !has_rate(shown.requested) && shown.now_ns < scene.at_ns + kTransition_ns + kSlack_ns;
}

TalkPress step_scene(const TalkState& talk, int by) {
  if (by > 0 && !talk.has_next()) return say("this is the last scene");
  if (by < 0 && talk.at.value_or(0) == 0) return say("this is the first scene");
  if (by < 0) return {Does::enter, *talk.at - 1};
  return {Does::enter, talk.at ? *talk.at + 1 : 0};
}

TalkPress press_talk(TalkState& talk, ShowState& show, Key k) {
  if (talk.scenes.empty() || is_the_terminals(k)) return {Does::not_ours};
  if (talk.page != Page::none) return press_page(talk, k);
  return show.on ? press_show(talk, show, k) : press_live(talk, show, k);
}

std::optional<size_t> scene_due(const TalkState& talk, const Snapshot& now) {
  using For = SceneWait::For;
  if (!talk.presenting || talk.options.auto_ns == 0 || !talk.at || talk.now_ns < talk.paused_ns)
    return {};
  if (!talk.has_next() && !talk.options.loop) return {};
  const SceneWait& wait = talk.scenes[*talk.at].wait;
  const uint64_t lasts_ns =
      std::max(talk.options.auto_ns, wait.what == For::time ? wait.ns : uint64_t{0});
  if (talk.now_ns < talk.entered_ns + lasts_ns) return {};
  if (wait.what == For::settled && !is_settled(talk, now)) return {};
  return talk.has_next() ? *talk.at + 1 : 0;
}

std::span<const ScreenKey> talk_keys() {
  static constexpr std::array<ScreenKey, 13> kKeys = {{
      {"Right PgDn n", "next scene; Space, Enter and Down too"},
      {"Left PgUp N", "the scene before; Up and Backspace too"},
      {"Home End", "first and last scene"},
      {"12 G", "scene 12; Enter goes there too"},
      {"Ctrl-P", "list of scenes, to choose from"},
      {". b", "black screen, and back"},
      {"Tab", "the dashboard with its knobs; Shift-Tab comes back"},
      {"T", "begin scenes in slow motion, or not"},
      {"F", "fall back on the recording, and back"},
      {"!", "all messages in full, and back"},
      {"?", "these keys"},
      {"q", "leave, after a question"},
      {"Ctrl-C", "leave at once"},
  }};
  return kKeys;
}

void draw_talk(Canvas& canvas, const TalkState& talk) {
  if (!talk.presenting || canvas.rows() < 3) return;
  switch (talk.page) {
    case Page::index:
      return draw_index(canvas, talk);
    case Page::keys:
      return draw_keys_page(canvas);
    case Page::leaving:
      return draw_question(canvas, {"leave the talk?", {}, {{"y", "leave"}, {"n", "stay"}}});
    case Page::none:
      if (!talk.typed.empty()) draw_typed(canvas, talk);
  }
}

}  // namespace pipetop::tui
