#include <algorithm>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/recording/recording.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/command_line/result_files.h"
#include "tui/dashboard/dashboard.h"
#include "tui/dashboard/replay.h"
#include "tui/draw/canvas.h"
#include "tui/print/document.h"
#include "tui/state/dashboard_state.h"

namespace pipetop::tui {
namespace {

std::optional<double> roof_of(const Recording& recording) {
  return recording.header().roof_gib_per_s.value;
}

void say_damage(const std::string& file, const Recording& recording) {
  if (!recording.damage().empty()) say(file + " is " + recording.damage());
}

// All of it, as fast as it can be drawn.
int film(const CommandLine& line, const Config& config, Recording& recording) {
  CastFile cast(line.cast, recording.header().unix_s);
  const GlyphSet glyphs = config.unicode == Choice::never ? GlyphSet::ascii : GlyphSet::unicode;
  Canvas canvas(glyphs_of(glyphs));
  DashboardState view;
  view.presets = config.presets;
  view.roof_gib_per_s = roof_of(recording);
  auto mark = recording.marks().begin();
  const uint64_t begin_ns = recording.begin_ns() + line.replay.at_ns;
  for (size_t i = recording.frame_at(begin_ns); i < recording.frames(); ++i) {
    const Snapshot& shown = recording.frame(i);
    canvas.reset(line.replay.rows, line.replay.cols);
    draw_recorded(canvas, shown, view);
    cast.add(canvas, shown.now_ns, shown.throughput.current);
    for (; mark != recording.marks().end() && mark->at_ns <= shown.now_ns; ++mark)
      if (mark->kind == RecordedMark::Kind::scene && mark->at_ns >= begin_ns)
        cast.mark(shown.now_ns, mark->label);
  }
  cast.finish();
  say_damage(line.replay.file, recording);
  return 0;
}

int show(const std::string& file, Recording& recording, const Config& config,
         ReplaySource& source) {
  const int exit_code = run_dashboard(source, config, {.roof_gib_per_s = roof_of(recording)});
  say_damage(file, recording);
  return exit_code;
}

}  // namespace

Config replay_config(const CommandLine& line, const Recording& recording) {
  Config config = resolve(line, read_config(line.config), std::getenv("NO_COLOR"));
  config.settings = recording.header().settings;
  config.presets = recording.header().presets;
  config.preset.clear();
  return config;
}

int replay_command(const CommandLine& line) {
  if (line.replay.file.empty()) throw Error("replay needs a recording: pipetop replay FILE");
  Recording recording(line.replay.file);
  if (line.replay.info) return print(line.format->print(recording_document(recording)));
  const Config config = replay_config(line, recording);
  if (!line.cast.empty()) return film(line, config, recording);
  check_terminal(config);
  ReplaySource source(recording);
  source.go_to(line.replay.at_ns);
  return show(line.replay.file, recording, config, source);
}

int present_replay(const CommandLine& line) {
  Recording recording(line.talk.replay);
  Config config = replay_config(line, recording);
  config.show = true;
  ReplaySource source(recording);
  source.present();
  check_terminal(config);
  return show(line.talk.replay, recording, config, source);
}

}  // namespace pipetop::tui
