// A recording as its keys move it: which of its moments is shown, by the viewer's time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/base/clock.h"
#include "engine/recording/recording.h"
#include "tui/draw/keys.h"
#include "tui/state/playback.h"
#include "tui/state/replay_state.h"

namespace pipetop::tui {

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
  // A talk: each scene ends on its last frame.
  void hold_at_scenes() { playback_.hold_at_scenes(); }
  void go_to_scene(size_t index);
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
  ReplayState state_;
};

}  // namespace pipetop::tui
