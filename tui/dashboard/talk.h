// What the show shows, the view for an audience, with few and large things; and a talk on it: where
// it is, what the keys of a clicker or slide tool do to it, and what covers the screen: the list of
// scenes, its keys, the question whether to leave, and the number being typed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/config/talk.h"
#include "engine/model/snapshot.h"
#include "engine/recording/recording_header.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"

namespace pipetop::tui {

constexpr bool shows_lists_in_show(ShowPart view) {
  return view == ShowPart::functions || view == ShowPart::tree || view == ShowPart::waiting;
}

struct ShowState {
  bool on = false;
  ShowPart view = ShowPart::ring;
  std::string highlight;         // as in a Scene
  std::string title, caption;    // of the scene, "" outside of a talk
  size_t scene = 0, scenes = 0;  // the scene's number from 1, and how many; 0: there is no talk
  bool blank = false;            // nothing at all is shown
  bool no_functions = false;     // they can't be seen: the curve has their room

  ShowPart part() const {
    return shows_lists_in_show(view) && no_functions ? ShowPart::throughput : view;
  }
};

// Of no worker's functions anything can be seen.
bool sees_no_functions(const Snapshot& shown);

// How `pipetop present` runs it.
struct TalkOptions {
  uint64_t auto_ns = 0;  // each scene lasts so long, then the next one follows; 0: only by a key
  bool loop = false;     // after the last scene the first one follows
  size_t first = 0;      // the scene that it begins with
  // A scene with another technique begins with its ring in slow motion, so that its slots are seen.
  bool transitions = false;
};

inline constexpr uint64_t kTransition_ns = 2'000'000'000;

// A scene as it was recorded.
void show_recorded(const RecordedMark& scene, ShowState& show);
// It was in slow motion then, with its ring in the place of its view.
bool in_transition(const RecordedMark& scene, const Snapshot& shown);

struct TalkState {
  // What covers the screen: the list of scenes, the keys, or the question whether to leave.
  enum class Page : uint8_t { none, index, keys, leaving };

  std::span<const Scene> scenes;  // empty: there is no talk
  bool presenting = false;        // `pipetop present`, also while the live knobs are on
  TalkOptions options;
  std::optional<size_t> at;  // the scene that was entered last
  Page page = Page::none;
  size_t selected = 0;  // in the list
  std::string typed;    // the digits of a scene's number
  // The viewer's time: a recording's stands still at the end of a scene.
  uint64_t now_ns = 0;
  uint64_t begun_ns = 0;       // the talk; 0: not yet
  uint64_t entered_ns = 0;     // the scene
  uint64_t paused_ns = 0;      // until then it doesn't go on by itself
  uint64_t transition_ns = 0;  // until then the scene is in slow motion; 0: it isn't
  bool failed = false;         // its settings could not be applied: others are in force
  bool has_next() const { return !scenes.empty() && (!at || *at + 1 < scenes.size()); }
  size_t last_number() const { return scenes.empty() ? 0 : number_of(scenes, scenes.size() - 1); }
};

// It doesn't go on by itself for this long after a key.
inline constexpr uint64_t kTalkPause_ns = 60'000'000'000;

// What a key asks for, beyond what it changed in the two states.
struct TalkPress {
  enum class Does : uint8_t {
    not_ours,  // the key has its usual meaning
    nothing,   // more
    enter,     // `scene`, even if it is the current one
    leave,
    switch_over,         // to the recording, or back
    switch_transitions,  // on or off
    say,                 // `words`
  } does = Does::nothing;
  size_t scene = 0;
  std::string words = {};
};

// To the next scene, or to the one before.
TalkPress step_scene(const TalkState& talk, int by);

// While presenting.
TalkPress press_talk(TalkState& talk, ShowState& show, Key key);

// The scene that follows now by itself: its predecessor's time is over.
std::optional<size_t> scene_due(const TalkState& talk, const Snapshot& now);

// The keys in the show, for the page.
std::span<const ScreenKey> talk_keys();

void draw_talk(Canvas& canvas, const TalkState& talk);

}  // namespace pipetop::tui
