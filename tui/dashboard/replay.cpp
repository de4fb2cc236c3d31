#include "tui/dashboard/replay.h"

#include "engine/base/error.h"
#include "tui/dashboard/keymap.h"
#include "tui/dashboard/view.h"
#include "tui/widgets/ring_state.h"

namespace pipetop::tui {

void draw_recorded(Canvas& canvas, const Snapshot& shown, DashboardState& view) {
  view.requested = shown.requested;
  view.now_ns = shown.now_ns;
  view.ring.follow(shown);
  show_lists(view, shown, canvas.rows(), canvas.cols());
  draw(canvas, shown, view);
}

ReplaySource::ReplaySource(Recording& recording, Transport::Clock clock)
    : recording_(recording), transport_(recording, clock) {}

void ReplaySource::apply(const Settings&, const std::string&, const std::string&) {
  throw Error("a recording cannot be changed");
}

Snapshot ReplaySource::tick() { return transport_.tick(); }

// What is known of it: an engine would also have the functions since its beginning.
Segment ReplaySource::segment() {
  const Snapshot& s = transport_.shown();
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

void ReplaySource::present() {
  if (scenes().empty())
    throw Error("the recording has no scenes: make one with pipetop present TALK --record FILE");
  transport_.hold_at_scenes();
  transport_.go_to_scene(0);
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

}  // namespace pipetop::tui
