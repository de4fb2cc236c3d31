// The controller's part of what an audience sees: the show, with the zoom and the pages in place of
// other panels, and the talk: scenes in their order, and what it takes to enter one. A scene is the
// whole state, so whatever was toggled by hand is undone.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/keymap.h"

namespace pipetop::tui {
namespace {

// Other slots than before: lent or copied, huge, given away, rewritten.
bool changes_technique(const Settings& before, const Settings& next) {
  const auto technique = [](const PipeSettings& s) {
    return std::tuple(s.write_with, s.read_with, s.pages, s.gift, s.buffers);
  };
  return before.workload == WorkloadKind::pipe && next.workload == WorkloadKind::pipe &&
         !next.pipe.slow_motion && technique(before.pipe) != technique(next.pipe);
}

}  // namespace

// To the other list and, beyond the last one, to the pipeline and back; among all panels while one
// of them has the whole screen.
void Controller::change_focus(int step) {
  const Role first = Role::writer;
  const Role last = has_role(state_.requested, Role::reader) ? Role::reader : first;
  if (state_.shows_pipeline()) {
    state_.zoom.reset();
    state_.focus = step > 0 ? first : last;
  } else if (!state_.zoom && state_.focus == (step > 0 ? last : first)) {
    open_pipeline();
  } else {
    step_focus(step);
  }
}

void Controller::open_pipeline() {
  state_.log.open = state_.ladder.open = false;
  state_.zoom = Panel::pipeline;
  select_in_pipeline(state_.focus == Role::writer ? Panel::writer : Panel::reader);
}

void Controller::select_in_pipeline(Panel panel) {
  state_.below_pipeline = panel;
  if (panel != Panel::ring) state_.focus = panel == Panel::writer ? Role::writer : Role::reader;
}

// In the pipeline to the stage or ring beside it, which is not left; else to the other list, or
// among the panels that can have the whole screen.
void Controller::step_focus(int step) {
  if (state_.shows_pipeline()) {
    std::vector<Panel> panels = {Panel::writer};
    if (terms_of(state_.requested).has_ring) panels.push_back(Panel::ring);
    if (has_role(state_.requested, Role::reader)) panels.push_back(Panel::reader);
    const auto at = std::ranges::find(panels, state_.below_pipeline) - panels.begin();
    const auto end = static_cast<ptrdiff_t>(panels.size()) - 1;
    select_in_pipeline(panels[static_cast<size_t>(std::clamp<ptrdiff_t>(at + step, 0, end))]);
  } else if (state_.zoom) {
    constexpr int kPanels = static_cast<int>(Panel::reader) + 1;
    const auto moved = [&](Panel from) {
      return static_cast<Panel>((static_cast<int>(from) + kPanels + step) % kPanels);
    };
    state_.zoom = moved(*state_.zoom);
    if (state_.zoom == Panel::reader && !has_role(state_.requested, Role::reader))
      state_.zoom = moved(*state_.zoom);
    if (state_.zoom == Panel::writer) state_.focus = Role::writer;
    if (state_.zoom == Panel::reader) state_.focus = Role::reader;
  } else if (has_role(state_.requested, Role::reader)) {
    state_.focus = state_.focus == Role::writer ? Role::reader : Role::writer;
  }
}

void Controller::toggle_zoom() {
  if (state_.zoom) {
    state_.zoom.reset();
    return;
  }
  const ShowPart view = state_.show.part();
  if (state_.ring.inspected || (state_.show.on && view == ShowPart::ring)) {
    state_.zoom = Panel::ring;
  } else if (state_.show.on && view == ShowPart::throughput) {
    state_.zoom = Panel::throughput;
  } else {
    state_.zoom = state_.focus == Role::writer ? Panel::writer : Panel::reader;
  }
}

void Controller::set_show(bool on) {
  if (!on && state_.opened_for_show) open_for_show(state_, false);
  state_.show.on = on;
  state_.show.blank = false;
  state_.log.open = state_.ladder.open = false;
  state_.zoom.reset();
}

// In the show it is the large part, until the key is pressed again.
void Controller::toggle_page(PageState& page, ShowPart in_show) {
  if (state_.show.on && !state_.zoom) {
    state_.show.view = state_.show.view == in_show ? ShowPart::ring : in_show;
    return;
  }
  const bool open = page.open;
  state_.log.open = state_.ladder.open = false;
  page = {!open, 0};
}

void Controller::next_show_part() {
  constexpr std::string_view kNames[] = {"the ring",        "functions", "the call tree",
                                         "where they wait", "the log",   "the ladder",
                                         "the throughput"};
  if (!state_.show.on) {
    say("V works in the show only; S opens it");
    return;
  }
  size_t next = static_cast<size_t>(state_.show.view);
  do {
    next = (next + 1) % std::size(kNames);
  } while (state_.show.no_functions && shows_lists_in_show(static_cast<ShowPart>(next)));
  state_.show.view = static_cast<ShowPart>(next);
  say("in the show: " + std::string(kNames[next]));
}

// ---- the talk ----

void Controller::begin_talk(std::span<const Scene> scenes, const TalkOptions* presented) {
  state_.talk.scenes = scenes;
  state_.show.scenes = state_.talk.last_number();
  if (scenes.empty() || !presented) return;
  state_.talk.presenting = state_.show.on = true;
  state_.talk.options = *presented;
  const Scene& first = scenes[presented->first];
  state_.talk.at = presented->first;
  show_scene(first);
  if (first.watch) watch(*first.watch);
}

// Everything on the screen that a key can change, as at the start.
void Controller::show_scene(const Scene& scene) {
  const bool on = state_.talk.presenting || state_.show.on;
  state_.focus = Role::writer;
  state_.choice = {};
  state_.lists = {};
  state_.reference = {};
  state_.turns.reset();
  state_.help = state_.log = state_.ladder = state_.messages = {};
  state_.zoom.reset();
  state_.opened_for_show = false;
  state_.ring.picture = {};
  state_.ring.inspected.reset();
  state_.parts.reset();
  state_.roof_hidden = state_.frozen = false;
  state_.talk.page = TalkState::Page::none;
  state_.talk.typed.clear();
  state_.talk.transition_ns = 0;
  state_.talk.failed = recorded_slowly_ = false;
  state_.talk.entered_ns = state_.talk.now_ns;
  state_.show = {.on = on,
                 .view = scene.view,
                 .highlight = scene.highlight,
                 .title = scene.title,
                 .caption = scene.caption,
                 .scene = number_of(state_.talk.scenes, state_.talk.at.value_or(0)),
                 .scenes = state_.talk.last_number()};
  if (scene.view == ShowPart::tree) state_.choice.form = ListForm::tree;
  if (scene.view == ShowPart::waiting) state_.choice.activity = Activity::waiting;
  state_.log.open = !on && scene.view == ShowPart::log;
  state_.ladder.open = !on && scene.view == ShowPart::ladder;
}

// The settings of the present scene are.
bool Controller::is_in_force() const {
  const TalkState& talk = state_.talk;
  return talk.presenting && talk.at && !source_.is_recorded() && !watched_ &&
         !state_.take_turns() && talk.scenes[*talk.at].settings == state_.requested;
}

// And measured.
bool Controller::is_as_written() const {
  return is_in_force() && has_rate(state_.talk.scenes[*state_.talk.at]);
}

// Before something else is in force.
void Controller::keep_scene() {
  if (is_as_written()) scene_changes_.keep(*state_.talk.at, source_.segment());
}

// What the scene has gained, in the place of what the last change has.
void Controller::compare_scenes() {
  constexpr uint64_t kInterval_ns = 1'000'000'000;
  if (!is_as_written()) return;
  if (latest_.now_ns >= scene_change_due_ns_) {
    scene_change_due_ns_ = latest_.now_ns + kInterval_ns;
    scene_change_ = scene_changes_.of(state_.talk.scenes, *state_.talk.at, source_.segment());
  }
  latest_.change = scene_change_;
}

// Even if its settings cannot be applied, which is said: the talk must be able to go on.
void Controller::enter_scene(size_t index) {
  end_turns();
  const Scene& scene = state_.talk.scenes[index];
  keep_scene();
  const std::vector<std::string> left = end_watching();
  state_.talk.at = index;
  scene_change_due_ns_ = checks_due_ns_ = 0;
  show_scene(scene);
  if (state_.replay) return source_.go_to_scene(index);
  if (!left.empty()) say(left.front(), Severity::error);
  if (scene.watch) return watch(*scene.watch);
  Settings next = scene.settings;
  const bool slowly = state_.show.on && state_.talk.options.transitions && scene.transition &&
                      changes_technique(state_.requested, next);
  next.pipe.slow_motion |= slowly;
  // The curve marks it by its number.
  const std::string key = fmt::format("#{}", number_of(state_.talk.scenes, index));
  if (next != state_.requested && !change_to(next, scene.title, key, {})) {
    state_.talk.failed = true;
    return;
  }
  if (slowly) {
    state_.talk.transition_ns = state_.talk.now_ns + kTransition_ns;
    state_.show.view = ShowPart::ring;
  }
  base_ = scene.settings;
  if (left.empty()) state_.message.clear();
  if (state_.show.on) return;
  const std::string first_line = scene.caption.substr(0, scene.caption.find('\n'));
  say(fmt::format("{} of {}  {}{}{}", state_.show.scene, state_.show.scenes, scene.title,
                  first_line.empty() ? "" : ": ", first_line));
}

// At full speed from now on.
void Controller::end_transition() {
  if (std::exchange(state_.talk.transition_ns, 0) == 0 || !state_.talk.at) return;
  const Scene& scene = state_.talk.scenes[*state_.talk.at];
  apply(scene.settings, scene.title,
        fmt::format("#{}", number_of(state_.talk.scenes, *state_.talk.at)));
  state_.show.view = scene.view;
  scene_change_due_ns_ = checks_due_ns_ = 0;
}

void Controller::switch_transitions() {
  if (state_.replay) return say("a recording begins its scenes as they were recorded");
  bool& on = state_.talk.options.transitions;
  on = !on;
  say(on ? "a scene with another technique begins in slow motion" : "scenes begin at full speed");
}

void Controller::step_scene(int by) {
  if (state_.talk.scenes.empty())
    return say("there are no scenes: give a config that has some, as -c talk");
  const TalkPress asked = tui::step_scene(state_.talk, by);
  if (asked.does == TalkPress::Does::enter)
    enter_scene(asked.scene);
  else
    say(asked.words);
}

// Our own pipe would take the time of those that are watched.
void Controller::watch(const SceneWatch& what) {
  if (!state_.talk.presenting || !open_scene_)
    return say(fmt::format("this scene watches {}: pipetop present shows it", what.text()));
  source_.suspend();
  try {
    watch_source_ = open_scene_(what);
    watched_ = std::make_unique<WatchController>(
        *watch_source_,
        WatchStart{.pipeline = true, .command = what.command, .hold_ns = kShowHolds_ns});
    state_.message.clear();
  } catch (const Error& error) {
    source_.resume();
    say(error.what(), Severity::error);
  }
}

std::vector<std::string> Controller::end_watching() {
  if (!watched_ || !watch_source_) return {};
  watched_.reset();
  std::vector<std::string> left = watch_source_->finish_changes();
  watch_source_.reset();
  source_.resume();
  return left;
}

// A key that the talk leaves is for the pipeline; in a recording those that move time come first.
bool Controller::press_watched(Key key) {
  const bool is_covered = state_.show.on || state_.talk.page != TalkState::Page::none;
  if (is_covered || !watched_->is_asking()) {
    if (press_talk(key)) return true;
    const auto moves_time = transport_keys().rows;
    if (state_.replay && std::ranges::find(moves_time, key, &KeyRow::key) != moves_time.end())
      return false;
  }
  pass_on(watched_->handle({Input::Kind::key, key, {}}));
  return true;
}

// Whether the key was for the talk.
bool Controller::press_talk(Key key) {
  using Does = TalkPress::Does;
  if (!state_.talk.presenting) return false;
  if (state_.messages.open && (key == key::escape || key == U'q')) return close_page();
  end_transition();
  state_.talk.paused_ns = state_.talk.now_ns + kTalkPause_ns;
  // On the dashboard q closes what is open first, as it does without a talk.
  const bool may_close = !state_.show.on && state_.talk.page == TalkState::Page::none;
  const auto close = [this] { return watched_ ? watched_->close_page() : close_overlay(); };
  if (key == U'q' && may_close && close()) return true;
  const TalkPress asked = tui::press_talk(state_.talk, state_.show, key);
  switch (asked.does) {
    case Does::not_ours:
      return false;
    case Does::nothing:
      break;
    case Does::enter:
      enter_scene(asked.scene);
      break;
    case Does::leave:
      leave<Outcome::quit>();
      break;
    case Does::switch_over:
      switch_over();
      break;
    case Does::switch_transitions:
      switch_transitions();
      break;
    case Does::say:
      say(asked.words);
  }
  // Or nobody would know that it is automatic.
  if (state_.talk.options.auto_ns != 0 && state_.message.empty())
    say("the talk goes on by itself a minute after the last key");
  return true;
}

// The same scene, from the recording or live.
void Controller::switch_over() {
  if (!source_.has_fallback())
    return say(source_.replay() ? "this is the recording: nothing runs behind it"
                                : "there is no recording to fall back on: give --fallback FILE");
  const bool was_live = !source_.replay();
  std::vector<std::string> left;
  if (was_live) {
    end_turns();
    keep_scene();
    left = end_watching();
    live_settings_ = state_.requested;
  }
  source_.switch_over();
  state_.replay = source_.replay();
  if (!was_live) {
    watched_.reset();
    if (live_settings_.workload != state_.requested.workload)
      change_workload(live_settings_.workload);
    state_.requested = live_settings_;
  }
  state_.ring.trail.clear();
  enter_scene(*state_.talk.at);
  if (!left.empty())
    say(left.front(), Severity::error);
  else if (was_live)
    say("this is the recording; F goes back to what runs");
  else if (state_.message.empty())
    say("live again");
}

void Controller::go_on(const Snapshot& now) {
  if (state_.talk.presenting && state_.talk.begun_ns == 0)
    state_.talk.begun_ns = state_.talk.entered_ns = state_.talk.now_ns;
  if (state_.talk.transition_ns != 0 && state_.talk.now_ns >= state_.talk.transition_ns)
    end_transition();
  if (const auto scene = scene_due(state_.talk, now)) enter_scene(*scene);
}

// Its presets, and nothing of the other one's segments and pictures.
void Controller::change_workload(WorkloadKind kind) {
  state_.presets = presets_of(kind, start_.workload, presets_);
  state_.lists = {};
  state_.reference = {};
  state_.ring.inspected.reset();
  state_.ring.trail.clear();
  state_.focus = Role::writer;
  state_.below_pipeline = Panel::writer;
  state_.frozen = false;
}

}  // namespace pipetop::tui
