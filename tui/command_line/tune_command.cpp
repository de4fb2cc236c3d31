#include <fmt/core.h>

#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/host/host.h"
#include "engine/host/pipe_max_size.h"
#include "engine/registry/workloads.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/draw/numbers.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"
#include "tui/print/results.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kRaisedPipeMaxBytes = 16 << 20;
// A trial that does not end is stopped this long after the budget.
constexpr uint64_t kPatience_ns = 300'000'000;

TuneSpaceOptions space_options(const CommandLine& line, const Config& config) {
  TuneSpaceOptions options;
  options.base = config.settings;
  options.fixed = [&line](Settings& settings) {
    for (const KnobFlag& knob : line.knobs) knob.apply(settings);
  };
  options.machine = read_capabilities();
  return options;
}

std::string progress_text(const TuneProgress& p) {
  std::string text = fmt::format("{}: {} candidates, {} trials, {} left", to_text(p.phase),
                                 p.candidates, p.trials, elapsed_text(p.left_ns));
  if (p.leader != nullptr)
    text +=
        fmt::format("  {}: {}", ratio_text(p.leader->score()), changed_knobs(p.leader->settings));
  return text;
}

// Raises the limit if requested; returns why it could not be raised.
std::string raise_limit(std::optional<RaisedPipeMaxSize>& raised, bool wanted) {
  try {
    if (wanted) raised.emplace(kRaisedPipeMaxBytes);
    return {};
  } catch (const Error& e) {
    return e.what();  // it was only allowed
  }
}

// Knobs given as flags stay fixed. On return all changes to the machine have been undone. Throws
// Error if nothing can be measured.
TuneReport search(const CommandLine& line, const Config& config, Interrupts& interrupts) {
  const TuneOptions options = {interrupts.now_ns(), line.tune.budget_ns, line.tune.seed};
  interrupts.end_at(options.begin_ns + options.budget_ns + kPatience_ns);
  const Preset& rung = article_presets().back();
  TuneReport report;
  report.reference_name = rung.name;
  report.budget_ns = options.budget_ns;
  report.seed = line.tune.seed;
  report.host = read_host();
  std::optional<RaisedPipeMaxSize> raised;
  report.raise_refusal = raise_limit(raised, line.tune.may_raise_pipe_max);
  const TuneSpace space(space_options(line, config));
  ProgressLine progress(interrupts, "the trial starts over");
  EngineOptions unwatched = engine_options(config);
  unwatched.bpf = BpfUse::off;  // rates are all that counts
  unwatched.noticed = say_notices(progress);
  // The engine reads the limit once, at its start.
  Session session(unwatched, interrupts);
  const CpuTimes before = read_cpu_times();
  report.result =
      tune(space, space.as_planned(space.searched_knobs_of(rung.settings)), options,
           live_trials(session), [&](const TuneProgress& p) { progress.show(progress_text(p)); });
  report.steal_share = steal_since(before);
  report.pipe_max_bytes = read_host().pipe_max_size;
  report.ended_by_signal = interrupts.signal();
  return report;
}

void check_settings(const Settings& settings) {
  if (settings.workload != WorkloadKind::pipe)
    throw Error(fmt::format("tune needs workload: pipe, this is {}", terms_of(settings).name));
  if (settings.pipe.slow_motion) throw Error("tune measures at full speed: remove slow_motion");
}

}  // namespace

int tune_command(const CommandLine& line) {
  const Config config = read_start(line);
  std::optional<Output> file;  // opened first: a typo must not waste a minute's search
  if (!line.tune.write.empty()) file.emplace(line.tune.write);
  check_settings(config.settings);
  Output output("");
  Interrupts interrupts;  // no signal may end us while the limit is being raised
  const TuneReport report = search(line, config, interrupts);
  const auto write_file = [&] {
    if (file && report.result.winner) file->finish(tune_config_yaml(report));
  };
  finish_all(interrupts,
             {write_file, [&] { output.finish(line.format->print(tune_document(report))); }});
  return exit_status(assess(report), interrupts);
}

}  // namespace pipetop::tui
