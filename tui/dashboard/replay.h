// A recording in the place of an engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/config/talk.h"
#include "engine/recording/recording.h"
#include "tui/dashboard/controller.h"
#include "tui/draw/keys.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {

// Draws a recorded moment as the dashboard showed it, without the replay's own line. `view` has the
// presets and what else is chosen, and remembers what moves.
void draw_recorded(Canvas& canvas, const Snapshot& shown, DashboardState& view);

class ReplaySource final : public Source {
 public:
  // The recording outlives it. `clock` is the viewer's.
  explicit ReplaySource(Recording& recording, Transport::Clock clock = monotonic_ns);

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
  void resume() override { transport_.resume(); }
  const ReplayState* replay() const override { return &transport_.state(); }
  std::string press(Key key) override { return transport_.press(key); }
  void go_to_scene(size_t index) override { transport_.go_to_scene(index); }

  void go_to(uint64_t at_ns) { transport_.go_to(at_ns); }
  bool at_end() const { return transport_.at_end(); }

 private:
  Recording& recording_;
  Transport transport_;
};

}  // namespace pipetop::tui
