#include "tui/state/transport.h"

#include <fmt/core.h>

namespace pipetop::tui {
namespace {

constexpr int64_t kSeek_ns = 5 * int64_t{kSecond};

}  // namespace

Transport::Transport(Recording& recording, Clock clock)
    : recording_(recording),
      clock_(clock),
      last_ns_(clock()),
      playback_(recording.times(), recording.marks()) {
  describe();
}

void Transport::describe() {
  state_ = {.begin_ns = recording_.begin_ns(),
            .at_ns = playback_.at_ns(),
            .duration_ns = recording_.duration_ns(),
            .speed = playback_.speed(),
            .paused = playback_.paused(),
            .marks = recording_.marks(),
            .scene = playback_.scene(),
            .damage = recording_.damage()};
}

const Snapshot& Transport::tick() {
  const uint64_t now_ns = clock_();
  playback_.pass(now_ns - last_ns_);
  last_ns_ = now_ns;
  const Snapshot& now = shown();
  describe();
  return now;
}

// A damaged frame makes the recording shorter.
const Snapshot& Transport::shown() {
  const size_t frames = recording_.frames();
  const Snapshot& frame = recording_.frame(playback_.frame());
  if (recording_.frames() < frames) playback_.shorten(recording_.times(), recording_.marks());
  return frame;
}

void Transport::go_to(uint64_t at_ns) {
  playback_.go_to(at_ns);
  describe();
}

void Transport::go_to_scene(size_t index) {
  playback_.go_to_scene(index);
  describe();
}

std::string Transport::go_to_mark(bool forward) {
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

std::string Transport::change_speed(int steps) {
  if (!playback_.change_speed(steps))
    return steps > 0 ? "this is the highest speed" : "this is the lowest speed";
  return fmt::format("{} times the speed", playback_.speed());
}

std::string Transport::press(Key key) {
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
