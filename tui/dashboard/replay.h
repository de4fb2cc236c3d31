// A recording in the place of an engine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/config/talk.h"
#include "engine/recording/recording.h"
#include "tui/dashboard/controller.h"
#include "tui/draw/keys.h"
#include "tui/state/playback.h"
#include "tui/state/replay_state.h"

namespace pipetop::tui {

// Draws a recorded moment as the dashboard showed it, without the replay's own line. `view` has the
// presets and what else is chosen, and remembers what moves.
void draw_recorded(Canvas& canvas, const Snapshot& shown, DashboardState& view);

class ReplaySource final : public Source {
 public:
  using Clock = uint64_t (*)();

  // The recording outlives it. `clock` is the viewer's.
  explicit ReplaySource(Recording& recording, Clock clock = monotonic_ns);

  // Begins with the first scene, and each ends on its last frame. Throws Error if there is none.
  void present();
  // As far as they were recorded.
  std::vector<Scene> scenes() const;

  int event_fd() const override { return -1; }
  void handle_events() override {}
  // Throws Error: a recording cannot be changed.
  void apply(const Settings&, const std::string&, const std::string&) override;
  void count(BpfCounters) override {}
  Snapshot tick() override;
  Segment segment() override;
  void suspend() override {}
  void resume() override { last_ns_ = clock_(); }
  const ReplayState* replay() const override { return &state_; }
  std::string press(Key key) override;
  void go_to_scene(size_t index) override;

  void go_to(uint64_t at_ns) { playback_.go_to(at_ns); }
  bool at_end() const { return playback_.at_end(); }

 private:
  const Snapshot& shown();
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
