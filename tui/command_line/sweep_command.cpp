#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "engine/base/error.h"
#include "engine/host/host.h"
#include "engine/registry/knobs.h"
#include "engine/registry/terms.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/messages.h"
#include "tui/command_line/output.h"
#include "tui/command_line/start.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kRunNs = 2'000'000'000;

void check_flags(const CommandLine& line) {
  if (line.format == &find_format("jsonl"))
    throw Error("--format jsonl supports a single setting only: give human, json or csv");
  if (!line.folded.empty() || !line.segments.empty())
    throw Error("--folded and --segments support a single setting only: remove the range");
}

double worst_steal(const Sweep& sweep) {
  double worst = 0;
  for (const SweepRow& row : sweep.rows)
    for (const SweepRun& run : row.runs)
      if (run.steal_share.has_value()) worst = std::max(worst, *run.steal_share);
  return worst;
}

SweepOptions options_of(const CommandLine& line, const Config& config, const SweepPlan& plan) {
  SweepOptions options;
  options.engine = engine_options(config);
  options.engine.functions_window_ns = 0;  // all of a run
  options.plan = plan;
  options.rounds = static_cast<int>(line.run.rounds);
  options.length.warmup_ns = line.run.warmup_ns;
  options.length.duration_ns = line.run.duration_ns.value_or(kRunNs);
  options.length.bytes = line.run.bytes;
  return options;
}

}  // namespace

std::optional<SweepPlan> sweep_plan(const CommandLine& line, const Config& config) {
  if (line.sweep) {
    const auto& [knob, range] = *line.sweep;
    if (workload_of(*knob) != config.settings.workload)
      throw Error(fmt::format("--{} needs workload: {}, this is {}", knob->name,
                              terms_of(workload_of(*knob)).name, terms_of(config.settings).name));
    return sweep_of(*knob, range);
  }
  const std::string_view compares = terms_of(config.settings).compares;
  // Naming the knob selects a single value.
  const auto names_it = [&](const KnobFlag& flag) {
    return flag.text.starts_with(fmt::format("--{} ", compares));
  };
  if (compares.empty() || std::ranges::any_of(line.knobs, names_it)) return {};
  return sweep_of_values(knob(compares));
}

int sweep_command(const CommandLine& line, const Config& config, const SweepPlan& plan) {
  check_flags(line);
  Output output(line.run.output);
  Interrupts interrupts;
  ProgressLine progress;
  progress.give_way_to(interrupts, "this run starts over");
  const Sweep sweep = run_sweep(
      options_of(line, config, plan), interrupts, [&](const std::string& value, int done, int all) {
        progress.show(fmt::format("{} {}: run {} of {}", plan.knob->name, value, done + 1, all));
      });
  progress.clear();
  if (sweep.rounds == 0) return ended_early(interrupts, "a round was complete: no result");
  output.write(line.format->print(sweep_document(sweep)));
  output.finish();
  const double steal = worst_steal(sweep);
  if (steal <= kMuchSteal) return exit_status({}, interrupts);
  return exit_status(
      {Exit::untrustworthy,
       {fmt::format("the host stole up to {:.1f} % of a run's time: the rates are unreliable",
                    100 * steal)}},
      interrupts);
}

}  // namespace pipetop::tui
