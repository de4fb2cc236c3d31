#include <fmt/core.h>

#include <string>

#include "engine/experiment/ladder.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/ladder_files.h"
#include "tui/command_line/ladder_start.h"
#include "tui/command_line/messages.h"
#include "tui/command_line/start.h"
#include "tui/draw/numbers.h"

namespace pipetop::tui {
namespace {

std::string progress_text(const LadderStep& step, const LadderOptions& options) {
  std::string text = fmt::format("round {} of {}, run {} of {}: {}", step.round, options.rounds,
                                 step.done + 1, step.all, options.rungs[step.rung].name);
  if (step.left_ns.has_value()) text += "  " + elapsed_text(*step.left_ns) + " left";
  return text;
}

}  // namespace

int ladder_command(const CommandLine& line) {
  const Config config = read_config(line.config);
  const LadderOptions options = ladder_options(line, config);
  for (const Preset& rung : options.rungs)
    require_vmsplice(rung.settings, "give --rungs without it");
  LadderFiles files(line.ladder);
  LadderResult result;
  result.knobs = knobs_typed(line);
  Interrupts interrupts;  // until the end: no signal interrupts the writing
  ProgressLine progress;
  progress.give_way_to(interrupts, "this run starts over");
  result.report = report(run_ladder(options, interrupts, [&](const LadderStep& step) {
    progress.show(progress_text(step, options));
  }));
  progress.clear();
  result.ended_by_signal = interrupts.signal();
  const LadderReport& found = result.report;
  if (found.ladder.runs.empty()) return ended_early(interrupts, "there was a result");
  const bool ascii = line.no_unicode || config.unicode == Choice::never;
  files.write(result, ascii ? GlyphSet::ascii : GlyphSet::unicode);
  Assessment assessment{found.exit, {}};
  if (!files.table_is_seen())
    for (const std::string& warning : found.warnings)
      assessment.warnings.push_back("untrustworthy: " + warning);
  return exit_status(assessment, interrupts);
}

}  // namespace pipetop::tui
