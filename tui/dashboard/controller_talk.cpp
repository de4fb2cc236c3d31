// The talk: scenes in their order, and what it takes to enter one. A scene is the whole state, so
// whatever was toggled by hand is undone.
#include <fmt/core.h>

#include "engine/registry/workloads.h"
#include "tui/dashboard/controller.h"

namespace pipetop::tui {

void Controller::begin_talk(std::span<const Scene> scenes, const TalkOptions* presented) {
  view_.talk.scenes = scenes;
  view_.show.scenes = scenes.size();
  if (scenes.empty() || !presented) return;
  view_.talk.presenting = view_.show.on = true;
  view_.talk.options = *presented;
  view_.talk.at = 0;
  show_scene(scenes.front());
}

// Everything on the screen that a key can change, as at the start.
void Controller::show_scene(const Scene& scene) {
  const bool on = view_.talk.presenting || view_.show.on;
  view_.focus = Role::writer;
  view_.choice = {};
  view_.lists = {};
  view_.reference = {};
  view_.help = view_.log = view_.ladder = view_.messages = {};
  view_.zoom.reset();
  view_.hottest = {};
  view_.opened_for_show = false;
  view_.ring.picture = {};
  view_.ring.inspected.reset();
  view_.parts.reset();
  view_.roof_hidden = view_.frozen = false;
  view_.talk.page = TalkState::Page::none;
  view_.talk.typed.clear();
  view_.talk.entered_ns = view_.now_ns;
  view_.show = {.on = on,
                .view = scene.view,
                .highlight = scene.highlight,
                .title = scene.title,
                .caption = scene.caption,
                .scene = view_.talk.at.value_or(0) + 1,
                .scenes = view_.talk.scenes.size()};
  if (scene.view == SceneView::tree) view_.choice.form = ListForm::tree;
  if (scene.view == SceneView::waiting) view_.choice.activity = Activity::waiting;
  view_.log.open = !on && scene.view == SceneView::log;
  view_.ladder.open = !on && scene.view == SceneView::ladder;
}

// Even if its settings cannot be applied, which is said: the talk must be able to go on.
void Controller::enter_scene(size_t index, Key key) {
  const Scene& scene = view_.talk.scenes[index];
  view_.talk.at = index;
  show_scene(scene);
  if (scene.settings != view_.requested && !change_to(scene.settings, scene.title, key, {})) return;
  base_ = scene.settings;
  view_.message.clear();
  if (view_.show.on) return;
  const std::string first_line = scene.caption.substr(0, scene.caption.find('\n'));
  show_message(fmt::format("{} of {}  {}{}{}", index + 1, view_.talk.scenes.size(), scene.title,
                           first_line.empty() ? "" : ": ", first_line));
}

void Controller::step_scene(int by) {
  TalkState& talk = view_.talk;
  if (talk.scenes.empty()) {
    show_message("there are no scenes: give a config that has some, as -c talk");
  } else if (by > 0 && !talk.has_next()) {
    show_message("this is the last scene");
  } else if (by < 0 && talk.at.value_or(0) == 0) {
    show_message("this is the first scene");
  } else {
    enter_scene(by > 0 ? (talk.at ? *talk.at + 1 : 0) : *talk.at - 1, by > 0 ? U'n' : U'N');
  }
}

// Whether the key was for the talk.
bool Controller::press_talk(Key key) {
  using Does = TalkPress::Does;
  if (!view_.talk.presenting) return false;
  view_.talk.paused_ns = view_.now_ns + kTalkPause_ns;
  const TalkPress asked = tui::press_talk(view_.talk, view_.show, key);
  switch (asked.does) {
    case Does::not_ours:
      return false;
    case Does::nothing:
      break;
    case Does::enter:
      enter_scene(asked.scene, U'n');
      break;
    case Does::leave:
      outcome_ = Outcome::quit;
      break;
    case Does::say:
      show_message(asked.words);
  }
  // Or nobody would know that it is automatic.
  if (view_.talk.options.auto_ns != 0 && view_.message.empty())
    show_message("the talk goes on by itself a minute after the last key");
  return true;
}

void Controller::go_on(const Snapshot& now) {
  if (view_.talk.presenting && view_.talk.begun_ns == 0)
    view_.talk.begun_ns = view_.talk.entered_ns = now.now_ns;
  if (const auto scene = scene_due(view_.talk, now)) enter_scene(*scene, U'n');
}

// Its presets, and nothing of the other one's segments and pictures.
void Controller::change_workload(WorkloadKind kind) {
  view_.presets = kind == start_.workload ? presets_ : workload(kind).presets();
  view_.lists = {};
  view_.reference = {};
  view_.ring.inspected.reset();
  view_.ring.trail.clear();
  view_.focus = Role::writer;
  view_.frozen = false;
}

}  // namespace pipetop::tui
