// A recording as its keys move it: which of its moments is shown, by the viewer's time; the line
// that shows it, and the keys at the bottom.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/recording/recording.h"
#include "engine/recording/recording_header.h"
#include "tui/draw/keys.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

// A scene of a recorded talk that is presented, in one of its takes.
struct SceneTake {
  uint32_t number = 0;  // the scene's, from 1
  uint64_t at_ns = 0;   // as its mark
};

// Which take of a scene is wanted, both from 1.
struct TakeChoice {
  uint32_t scene = 0, take = 0;
};

// One of each scene, by their numbers: the chosen one, else the longest, which has settled most. A
// recording ends at `end_ns`. Throws Error if there is no such take.
std::vector<SceneTake> takes_of(std::span<const RecordedMark> marks, uint64_t end_ns,
                                std::span<const TakeChoice> chosen);

// Where a recording is, while it is replayed.
struct ReplayState {
  uint64_t begin_ns = 0;     // as Snapshot::now_ns
  uint64_t at_ns = 0;        // since then
  uint64_t duration_ns = 0;  // of all
  double speed = 1;
  bool paused = false;
  std::span<const RecordedMark> marks;
  const RecordedMark* scene = nullptr;  // the last one that has begun, null before the first

  std::span<const SceneTake> takes = {};  // those that are presented
  int cpus = 0;                           // of the machine that it was recorded on
  std::string_view damage = {};           // why it ends early, "" if it does not

  bool at_end() const { return at_ns >= duration_ns; }
  // Where `scene` is among those that are presented; nothing if it is none of them.
  std::optional<size_t> scene_index() const {
    if (!scene) return {};
    const auto found = std::ranges::find(takes, scene->number, &SceneTake::number);
    return found == takes.end() ? std::nullopt : std::optional<size_t>(found - takes.begin());
  }
};

// Which of its frames is shown. It has no clock and reads no file.
class Playback {
 public:
  // `times` are those of the frames, in order; there is at least one. It begins with the first.
  explicit Playback(std::span<const uint64_t> times, std::span<const RecordedMark> marks = {});

  // There are fewer: the rest is damaged.
  void shorten(std::span<const uint64_t> times, std::span<const RecordedMark> marks);

  // So much time has passed for the viewer. At the end it stays on the last frame.
  void pass(uint64_t ns);

  void pause(bool on) { paused_ = on; }
  bool paused() const { return paused_; }
  double speed() const;
  // To the next higher or lower speed. False: there is none.
  bool change_speed(int steps);

  void go_to(uint64_t at_ns);  // since the first frame; to the end if it is later
  void go(int64_t by_ns);
  void step(int frames);
  // To the next mark, or one before. False: there is none.
  bool go_to_mark(bool forward);

  size_t frame() const { return frame_; }
  uint64_t at_ns() const { return at_ns_; }
  uint64_t duration_ns() const { return times_.back() - times_.front(); }
  bool at_end() const { return frame_ + 1 == times_.size(); }
  const RecordedMark* scene() const;

  // A talk stays on the last frame of each scene until it is told to go on.
  void hold_at_scenes() { holds_ = true; }
  // To the beginning of a take, and on from there.
  void go_to_take(const SceneTake& take);

 private:
  void follow();
  uint64_t time_of(const RecordedMark& mark) const;
  std::vector<uint64_t> scene_times() const;

  std::span<const uint64_t> times_;
  std::span<const RecordedMark> marks_;
  size_t frame_ = 0;
  uint64_t at_ns_ = 0;
  size_t speed_;
  bool paused_ = false, holds_ = false;
};

class Transport {
 public:
  using Clock = uint64_t (*)();

  // The recording outlives it. `clock` is the viewer's.
  explicit Transport(Recording& recording, Clock clock = monotonic_ns);

  // Lets the time pass that has passed for the viewer.
  const Snapshot& tick();
  const Snapshot& shown();
  size_t frame() const { return playback_.frame(); }
  const ReplayState& state() const { return state_; }

  // One of transport_keys(): returns what is said, which may be "".
  std::string press(Key key);
  void go_to(uint64_t at_ns);  // since the first frame
  // A talk: each scene ends on its last frame. Throws Error if a take does not exist.
  void present(std::span<const TakeChoice> chosen);
  std::span<const SceneTake> takes() const { return takes_; }
  void go_to_scene(size_t index);  // of those that are presented
  bool at_end() const { return playback_.at_end(); }
  // Nobody has looked since the last tick.
  void resume() { last_ns_ = clock_(); }

 private:
  void describe();
  std::string go_to_mark(bool forward);
  std::string change_speed(int steps);

  Recording& recording_;
  Clock clock_;
  uint64_t last_ns_;
  Playback playback_;
  std::vector<SceneTake> takes_;
  ReplayState state_;
};

// What the screen is: " REPLAY ", " REC ". `replay`: null for what happens now.
std::vector<TitlePart> recording_badges(const ReplayState* replay, bool recording);
// At the end of a damaged recording.
std::optional<Message> damage_message(const ReplayState* replay);

// The time in one row: where it is, and where changes and scenes begin.
void draw_time_line(const Area& area, const ReplayState& replay);

// Its keys, in the place of what changes something.
std::vector<KeyItem> transport_items(const ReplayState& replay);

}  // namespace pipetop::tui
