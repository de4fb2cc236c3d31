#include "tui/command_line/commands.h"

#include <fmt/core.h>

#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/version.h"
#include "engine/config/config.h"
#include "engine/config/find_config.h"
#include "engine/engine.h"
#include "engine/experiment/limits.h"
#include "engine/process/placement.h"
#include "tui/command_line/folded_file.h"
#include "tui/command_line/messages.h"
#include "tui/command_line/output.h"
#include "tui/command_line/segment_file.h"
#include "tui/command_line/start.h"
#include "tui/completion/candidates.h"
#include "tui/completion/scripts.h"
#include "tui/dashboard/dashboard.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

std::string presets_text(const CommandLine& line) {
  return line.format->print(presets_document(read_start(line).presets));
}

// Before anything else runs that would compete for the CPUs.
std::optional<double> find_roof(const std::optional<RoofRequest>& request) {
  if (!request || request->gib_per_s) return request ? request->gib_per_s : std::nullopt;
  say("measuring the roof, for about a second");
  const Reading<Roof> roof = measure_roof();
  if (!roof.has_value()) throw Error("--roof: " + roof.reason, Exit::refused);
  return (read_topology().size() < 2 ? roof->one_cpu : roof->two_cpus).gib_per_s();
}

}  // namespace

int dashboard_command(const CommandLine& line) {
  const Config config = read_start(line);
  check_terminal(config);  // before any processes are started
  if (line.roof && config.settings.workload != WorkloadKind::pipe)
    throw Error("--roof needs workload: pipe");
  DashboardOptions screen{.roof_gib_per_s = find_roof(line.roof)};
  FoldedFile folded(line.folded);
  SegmentFile segments(line.segments, config.settings);
  if (segments.is_terminal())
    throw Error(fmt::format("--segments: {} is a terminal: give a file", line.segments));
  screen.every_snapshot = [&](const Snapshot& now) { segments.write_closed(now); };
  Engine engine(engine_options(config));
  if (!line.folded.empty()) folded.check(engine.tick());
  const int exit_code = run_dashboard(engine, config, screen);
  const Segment last = engine.segment();
  segments.write_last(last);
  folded.write(last);
  segments.finish();
  return exit_code;
}

int run(const CommandLine& line) {
  switch (line.command) {
    case Command::help:
      return print(line.help);
    case Command::version:
      return print("pipetop " + kVersion + "\n");
    case Command::default_config:
      return print(default_config_yaml(read_config(line.config).settings.workload));
    case Command::manual:
      return print(help_text(line.topic));
    case Command::limits:
      return limits_command(line);
    case Command::doctor:
      return doctor_command(line);
    case Command::presets:
      return print(presets_text(line));
    case Command::completion:
      return print(completion_script(line.shell));
    case Command::complete_words:
      return print(print_candidates(candidates(line.words, list_commands(), config_directories())));
    case Command::tune:
      return tune_command(line);
    case Command::run:
      return run_command(line);
    case Command::ladder:
      return ladder_command(line);
    case Command::dashboard:
      break;
  }
  return dashboard_command(line);
}

}  // namespace pipetop::tui
