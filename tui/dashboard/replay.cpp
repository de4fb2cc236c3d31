#include "tui/dashboard/replay.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/error.h"
#include "tui/dashboard/keymap.h"
#include "tui/dashboard/view.h"
#include "tui/state/ring_state.h"

namespace pipetop::tui {
namespace {

constexpr int64_t kSeek_ns = 5 * int64_t{kSecond};

}  // namespace

void draw_recorded(Canvas& canvas, const Snapshot& shown, DashboardState& view) {
  view.requested = shown.requested;
  view.now_ns = shown.now_ns;
  view.ring.follow(shown);
  show_lists(view, shown, canvas.rows(), canvas.cols());
  draw(canvas, shown, view);
}

ReplaySource::ReplaySource(Recording& recording, Clock clock)
    : recording_(recording),
      clock_(clock),
      last_ns_(clock()),
      playback_(recording.times(), recording.marks()) {
  describe();
}

void ReplaySource::apply(const Settings&, const std::string&, const std::string&) {
  throw Error("a recording cannot be changed");
}

void ReplaySource::describe() {
  state_ = {.begin_ns = recording_.begin_ns(),
            .at_ns = playback_.at_ns(),
            .duration_ns = recording_.duration_ns(),
            .speed = playback_.speed(),
            .paused = playback_.paused(),
            .marks = recording_.marks(),
            .scene = playback_.scene(),
            .damage = recording_.damage()};
}

Snapshot ReplaySource::tick() {
  const uint64_t now_ns = clock_();
  playback_.pass(now_ns - last_ns_);
  last_ns_ = now_ns;
  Snapshot now = shown();
  describe();
  return now;
}

// A damaged frame makes the recording shorter.
const Snapshot& ReplaySource::shown() {
  const size_t frames = recording_.frames();
  const Snapshot& frame = recording_.frame(playback_.frame());
  if (recording_.frames() < frames) playback_.shorten(recording_.times(), recording_.marks());
  return frame;
}

// What is known of it: an engine would also have the functions since its beginning.
Segment ReplaySource::segment() {
  const Snapshot& s = shown();
  Segment segment = s.throughput.current;
  segment.effective = s.effective.settings;
  segment.pipe_bytes = s.effective.pipe.bytes;
  segment.occupancy = s.ring.occupancy;
  segment.kinds = s.ring.kinds;
  for (const Role role : kBothRoles) {
    const WorkerReadings& worker = s.worker(role);
    SegmentRole& of_role = segment.roles[static_cast<size_t>(role)];
    of_role.shares = worker.shares;
    of_role.functions = worker.functions;
    of_role.blocked = worker.blocked;
  }
  return segment;
}

std::string ReplaySource::go_to_mark(bool forward) {
  if (!playback_.go_to_mark(forward))
    return forward ? "no change follows" : "this is the beginning";
  const RecordedMark* reached = nullptr;
  const uint64_t now_ns = recording_.times()[playback_.frame()];
  for (const RecordedMark& mark : recording_.marks())
    if (mark.at_ns <= now_ns) reached = &mark;
  if (!reached) return {};
  const bool scene = reached->kind == RecordedMark::Kind::scene;
  return scene ? fmt::format("scene {}: {}", reached->number, reached->label) : reached->label;
}

std::string ReplaySource::change_speed(int steps) {
  if (!playback_.change_speed(steps))
    return steps > 0 ? "this is the highest speed" : "this is the lowest speed";
  return fmt::format("{} times the speed", playback_.speed());
}

void ReplaySource::present() {
  if (scenes().empty())
    throw Error("the recording has no scenes: make one with pipetop present TALK --record FILE");
  playback_.hold_at_scenes();
  go_to_scene(0);
}

std::vector<Scene> ReplaySource::scenes() const {
  std::vector<Scene> scenes;
  for (const RecordedMark& mark : recording_.marks()) {
    if (mark.kind != RecordedMark::Kind::scene) continue;
    Scene& scene = scenes.emplace_back();
    scene.title = mark.label;
    scene.caption = mark.caption;
    scene.view = mark.view;
    scene.highlight = mark.highlight;
  }
  return scenes;
}

void ReplaySource::go_to_scene(size_t index) {
  playback_.go_to_scene(index);
  describe();
}

std::string ReplaySource::press(Key key) {
  std::string said;
  switch (key) {
    case U' ':
      if (playback_.at_end()) {
        playback_.go_to(0);
        playback_.pause(false);
      } else {
        playback_.pause(!playback_.paused());
      }
      break;
    case key::left:
      playback_.go(-kSeek_ns);
      break;
    case key::right:
      playback_.go(kSeek_ns);
      break;
    case U',':
    case U'.':
      playback_.pause(true);
      playback_.step(key == U'.' ? 1 : -1);
      break;
    case U'<':
    case U'>':
      said = change_speed(key == U'>' ? 1 : -1);
      break;
    case U'n':
    case U'N':
      said = go_to_mark(key == U'n');
      break;
    case key::home:
      playback_.go_to(0);
      break;
    case key::end:
      playback_.go_to(playback_.duration_ns());
      break;
    default:
      break;
  }
  describe();
  return said;
}

}  // namespace pipetop::tui
