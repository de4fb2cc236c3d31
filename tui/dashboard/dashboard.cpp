#include "tui/dashboard/dashboard.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "tui/dashboard/controller.h"
#include "tui/screen/shell.h"

namespace pipetop::tui {
namespace {

NotesPage notes_of(const TalkState& talk) {
  const Scene& scene = talk.scenes[*talk.at];
  return {static_cast<uint32_t>(*talk.at + 1),
          static_cast<uint32_t>(talk.scenes.size()),
          scene.title,
          scene.notes,
          talk.has_next() ? talk.scenes[*talk.at + 1].title : "",
          talk.begun_ns,
          talk.entered_ns};
}

}  // namespace

// Without them the talk goes on.
void Controller::serve_notes() {
  try {
    notes_.emplace(notes_directories(), notes_owner());
  } catch (const Error& error) {
    say(std::string("pipetop notes will not work: ") + error.what(), Severity::warning);
  }
}

bool Controller::handle_events() {
  source_.handle_events();
  return true;
}

bool Controller::tick(uint64_t viewer_ns) {
  if (watched_ && !source_.replay()) return tick_watched(viewer_ns);
  latest_ = source_.tick();
  if (every_snapshot_) every_snapshot_(latest_);
  const bool replay = source_.replay() != nullptr;
  set_time(latest_.now_ns, replay ? viewer_ns : latest_.now_ns);
  go_on(latest_);
  if (notes_) notes_->serve(notes_of(state_.talk));
  // A recording holds what was shown.
  if (!replay) whole_frames_.replace_torn(latest_.ring);
  if (!replay && holds_figures_)
    held_.hold(latest_, state_.show.on ? kShowHolds_ns : kDashboardHolds_ns);
  if (!state_.frozen) shown_ = &latest_;
  if (replay) follow_recorded_pipeline();
  return true;
}

// Of our own pipe, which stands still, the last snapshot stays.
bool Controller::tick_watched(uint64_t viewer_ns) {
  const uint64_t begun_ns = state_.talk.entered_ns;
  set_time(viewer_ns);
  watched_->set_recording(state_.recording);
  watched_->tick(viewer_ns);
  if (const auto now = watched_->latest()) go_on(*now);
  if (notes_ && begun_ns == state_.talk.entered_ns) notes_->serve(notes_of(state_.talk));
  return true;
}

void Controller::follow_recorded_pipeline() {
  if (!latest_.watched) {
    watched_.reset();
    return;
  }
  if (!watched_) {
    recorded_ = std::make_shared<RecordedPipeline>(source_.replay()->cpus);
    watched_ = std::make_unique<WatchController>(
        *recorded_, WatchStart{.pipeline = true, .recorded = true, .replay = source_.replay()});
  }
  recorded_->show(latest_);
  watched_->tick(latest_.now_ns);
}

void Controller::record(Tape& tape) {
  const TalkState& talk = state_.talk;
  if (talk.at && std::exchange(recorded_scene_ns_, talk.entered_ns) != talk.entered_ns)
    tape.begin_scene(talk.entered_ns, static_cast<uint32_t>(*talk.at + 1), talk.scenes[*talk.at]);
  if (watched_) return watched_->record(tape);
  if (state_.message.empty()) return tape.add(latest_);
  Snapshot said = latest_;
  said.answer = Notice{latest_.now_ns, state_.severity, state_.message};
  tape.add(said);
}

void check_terminal(const Config& config) { require_terminal(config); }

int run_dashboard(Source& source, const Config& config, const DashboardOptions& options) {
  Controller controller(source, config.settings, config.presets);
  controller.set_roof(options.roof_gib_per_s);
  controller.set_show(config.show);
  controller.hold_figures();
  controller.tell_snapshots(options.every_snapshot);
  controller.open_scenes_by(options.open_scene);
  controller.begin_talk(config.scenes, options.present ? &*options.present : nullptr);
  if (options.present && !source.replay()) controller.serve_notes();
  ShellOptions shell{.tape = options.tape, .save_picture = options.save_picture};
  if (options.every_frame)
    shell.every_frame = [&](const Canvas& canvas) {
      options.every_frame(canvas, controller.shown());
    };
  const int exit_code = run_screen(controller, config, shell);
  const std::vector<std::string> left = controller.end_watching();
  if (options.say) std::ranges::for_each(left, options.say);
  return exit_code == 0 && !left.empty() ? static_cast<int>(Exit::refused) : exit_code;
}

}  // namespace pipetop::tui
