#include <fmt/core.h>

#include <string>

#include "engine/experiment/rehearsal.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/print/document.h"

namespace pipetop::tui {

int rehearse_command(const CommandLine& line) {
  const Config config = read_talk(line);
  Output output("");
  Interrupts interrupts;
  ProgressLine progress(interrupts, "this scene starts over");
  RehearsalOptions options;
  options.engine = engine_options(config);
  options.engine.noticed = say_notices(progress);
  options.scenes = config.scenes;
  options.duration_ns = line.talk.duration_ns;
  const Rehearsal rehearsal = rehearse(options, interrupts, [&](size_t scene) {
    progress.show(fmt::format("scene {} of {}: {}", scene + 1, config.scenes.size(),
                              config.scenes[scene].title));
  });
  progress.clear();
  if (rehearsal.scenes.empty()) return ended_early(interrupts, "the first scene was measured");
  finish_all(interrupts,
             {[&] { output.finish(line.format->print(rehearsal_document(rehearsal))); }});
  return exit_status(assess(rehearsal), interrupts);
}

}  // namespace pipetop::tui
