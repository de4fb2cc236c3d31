#include <fmt/core.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/config/config.h"
#include "engine/registry/workloads.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/command_line/result_files.h"
#include "tui/draw/numbers.h"

namespace pipetop::tui {
namespace {

void check_ladder_flags(const CommandLine& line) {
  if (!line.preset.empty())
    throw Error(fmt::format("--preset does not work with ladder: use --rungs {},...", line.preset));
  for (const auto& [flag, path] :
       {std::pair{"--folded", line.folded}, {"--segments", line.segments}})
    if (!path.empty())
      throw Error(fmt::format("{} does not work with ladder, which runs without observers", flag));
}

std::vector<std::string> names_of(const LadderRequest& request) {
  if (!request.rungs.empty()) return request.rungs;
  std::vector<std::string> names;
  for (const Preset& preset : article_presets()) names.push_back(preset.name);
  return names;
}

// A file may replace one of the article's rungs; its figure then belongs to other settings.
double article_figure(const Preset& preset) {
  const Preset* original = find_preset(article_presets(), preset.name);
  return original && original->settings == preset.settings ? original->article_gib_per_s : 0;
}

Preset rung(const std::string& name, const CommandLine& line, const Config& config) {
  const Preset* preset = find_preset(config.presets, name);
  if (!preset) throw Error("--rungs: " + no_such_preset(config.presets, name));
  Preset rung = *preset;
  rung.article_gib_per_s = article_figure(rung);
  rung.settings.observers = Observing::off;
  for (const KnobFlag& knob : line.knobs) knob.apply(rung.settings);
  validate(rung.settings);
  return rung;
}

std::string progress_text(const LadderStep& step, const LadderOptions& options) {
  std::string text = fmt::format("round {} of {}, run {} of {}: {}", step.round, options.rounds,
                                 step.done + 1, step.all, options.rungs[step.rung].name);
  if (step.left_ns.has_value()) text += "  " + elapsed_text(*step.left_ns) + " left";
  return text;
}

}  // namespace

LadderOptions ladder_options(const CommandLine& line, const Config& config) {
  check_ladder_flags(line);
  LadderOptions options;
  for (const std::string& name : names_of(line.ladder)) {
    if (std::ranges::find(options.rungs, name, &Preset::name) != options.rungs.end())
      throw Error(fmt::format("--rungs: {} is named twice", name));
    options.rungs.push_back(rung(name, line, config));
  }
  options.rounds = line.ladder.rounds;
  options.length = line.ladder.length;
  if (options.rungs.front().settings.observers == Observing::on && !line.no_bpf)
    options.engine = engine_options(config);
  options.knobs = knobs_typed(line);
  options.seed = line.ladder.seed ? *line.ladder.seed : std::random_device()();
  return options;
}

std::string knobs_typed(const CommandLine& line) {
  std::string text;
  for (const KnobFlag& knob : line.knobs) text += (text.empty() ? "" : " ") + knob.text;
  return text;
}

int ladder_command(const CommandLine& line) {
  const Config config = read_config(line.config);
  LadderOptions options = ladder_options(line, config);
  keep_capabilities_for(line, config);
  for (const Preset& rung : options.rungs)
    require_vmsplice(rung.settings, "give --rungs without it");
  LadderFiles files(line.ladder);
  Interrupts interrupts;  // until the end: no signal interrupts the writing
  ProgressLine progress(interrupts, "this run starts over");
  options.engine.noticed = say_notices(progress);
  const LadderReport found = report(run_ladder(options, interrupts, [&](const LadderStep& step) {
    progress.show(progress_text(step, options));
  }));
  progress.clear();
  if (found.ladder.runs.empty()) return ended_early(interrupts, "there was a result");
  const bool ascii = line.no_unicode || config.unicode == Choice::never;
  files.write(found, ascii ? GlyphSet::ascii : GlyphSet::unicode, interrupts);
  Assessment assessment{found.exit, {}};
  if (!files.table_is_seen())
    for (const std::string& warning : found.warnings)
      assessment.warnings.push_back("untrustworthy: " + warning);
  return exit_status(assessment, interrupts);
}

}  // namespace pipetop::tui
