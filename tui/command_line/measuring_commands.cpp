// The commands that measure without a dashboard, and take their time for it: the ladder, the search
// for the fastest settings, the roof, the cost of the observers, and a talk before it is given.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/config/config.h"
#include "engine/experiment/doctor.h"
#include "engine/experiment/limits.h"
#include "engine/experiment/overhead.h"
#include "engine/experiment/rehearsal.h"
#include "engine/host/host.h"
#include "engine/host/neighbours.h"
#include "engine/host/pipe_max_size.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/command_line/result_files.h"
#include "tui/draw/numbers.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"
#include "tui/print/results.h"

namespace pipetop::tui {
namespace {

// ---- ladder -----------------------------------------------------------------

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

// ---- tune -------------------------------------------------------------------

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
  const Neighbours neighbours;
  const MachineTotals before = read_machine(monotonic_ns());
  report.result =
      tune(space, space.as_planned(space.searched_knobs_of(rung.settings)), options,
           live_trials(session), [&](const TuneProgress& p) { progress.show(progress_text(p)); });
  const MachineShares shares = shares_between(before, read_machine(monotonic_ns()));
  report.steal_share = shares.steal;
  report.noise = noise_around({shares.throttling, {}, neighbours.since()}, report.host.cpus);
  report.pipe_max_bytes = read_host().pipe_max_size;
  report.ended_by_signal = interrupts.signal();
  return report;
}

void check_settings(const Settings& settings) {
  if (settings.workload != WorkloadKind::pipe)
    throw Error(fmt::format("tune needs workload: pipe, this is {}", terms_of(settings).name));
  if (settings.pipe.slow_motion) throw Error("tune measures at full speed: remove slow_motion");
}

// ---- doctor, limits ---------------------------------------------------------

bool has_settings(const CommandLine& line) {
  return !line.preset.empty() || !line.config.empty() || !line.knobs.empty();
}

// The top rung, where every stall shows, and the same with sleeps.
constexpr const char* kOverheadPresets[] = {"busy_loop_huge", "vmsplice_splice_huge"};

NamedOverheads::value_type overhead_of(const std::string& name, const Config& config,
                                       uint32_t rounds, Interrupts& interrupts) {
  OverheadOptions options;
  options.engine = engine_options(config);
  options.rounds = static_cast<int>(rounds);
  ProgressLine progress(interrupts, "this round starts over");
  return {name, measure_overhead(options, interrupts, [&](int done) {
            progress.show(fmt::format("{}: round {} of {}", name, done, rounds));
          })};
}

NamedOverheads measure_overheads(const CommandLine& line, Interrupts& interrupts) {
  const Config config = read_start(line);
  if (has_settings(line))
    return {overhead_of(name_of(config), config, line.overhead_rounds, interrupts)};
  NamedOverheads found;
  for (const char* preset : kOverheadPresets) {
    if (interrupts.ended()) break;
    Config rung = config;
    rung.settings = find_preset(config.presets, preset)->settings;
    found.push_back(overhead_of(preset, rung, line.overhead_rounds, interrupts));
  }
  return found;
}

int overhead_command(const CommandLine& line) {
  Output output("");
  Interrupts interrupts;
  NamedOverheads found = measure_overheads(line, interrupts);
  std::erase_if(found, [](const auto& one) { return one.second.rounds.empty(); });
  if (found.empty()) return ended_early(interrupts, "a round was complete");
  finish_all(interrupts, {[&] { output.finish(line.format->print(overhead_document(found))); }});
  return exit_status({}, interrupts);
}

LimitsOptions limits_options(const CommandLine& line) {
  const Config config = read_start(line);
  LimitsOptions options;
  options.engine = engine_options(config);
  options.engine.functions_window_ns = 0;  // everything since the measurement began
  options.rounds = line.limits_rounds;
  // The user's settings are compared with the same roof.
  if (has_settings(line)) options.presets.push_back({name_of(config), "", config.settings, 0});
  return options;
}

}  // namespace

LadderOptions ladder_options(const CommandLine& line, const Config& config) {
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
  const LadderReport found = report(
      run_ladder(options, interrupts, [&](const ExperimentStep& step) { progress.show(step); }));
  progress.clear();
  if (found.ladder.runs.empty()) return ended_early(interrupts, "there was a result");
  const bool ascii = line.no_unicode || config.unicode == Choice::never;
  files.write(found, ascii ? GlyphSet::ascii : GlyphSet::unicode, interrupts);
  Assessment assessment{found.exit, {}};
  const char* const doubt = found.exit == Exit::untrustworthy ? "untrustworthy: " : "";
  if (!files.table_is_seen()) {
    for (const std::string& warning : found.warnings)
      assessment.warnings.push_back(doubt + warning);
    if (!found.noise.empty()) assessment.warnings.push_back(found.noise);
  }
  return exit_status(assessment, interrupts);
}

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

int doctor_command(const CommandLine& line) {
  if (line.overhead) return overhead_command(line);
  keep_main_capabilities(command_row(line).uses, workloads());
  return print(line.format->print(doctor_document(read_host(), diagnose())));
}

int limits_command(const CommandLine& line) {
  const LimitsOptions options = limits_options(line);
  Output output("");
  Interrupts interrupts;
  ProgressLine progress(interrupts, "the run continues where it was");
  const Limits limits =
      measure_limits(options, interrupts, [&](const ExperimentStep& step) { progress.show(step); });
  progress.clear();
  finish_all(interrupts,
             {[&] { output.finish(line.format->print(limits_document(read_host(), limits))); }});
  Assessment assessment;
  assessment.warn_of_steal(limits.steal_share, "the rate is unreliable");
  return exit_status(assessment, interrupts);
}

int rehearse_command(const CommandLine& line) {
  const Config config = read_talk(line);
  Output output("");
  Interrupts interrupts;
  ProgressLine progress(interrupts, "this scene starts over");
  std::optional<RecordingFile> recording;
  if (!line.record.empty()) recording.emplace(config, std::nullopt, line.record, WriteMode::whole);
  RehearsalOptions options;
  options.engine = engine_options(config);
  options.engine.noticed = say_notices(progress);
  options.scenes = config.scenes;
  options.duration_ns = line.talk.duration_ns;
  options.rounds = line.talk.rounds;
  options.strict = line.talk.strict;
  const Rehearsal rehearsal = rehearse(options, interrupts, [&](size_t scene, uint32_t round) {
    const std::string rounds =
        options.rounds > 1 ? fmt::format("round {} of {}, ", round + 1, options.rounds) : "";
    progress.show(fmt::format("{}scene {} of {}: {}", rounds, scene + 1, config.scenes.size(),
                              config.scenes[scene].title));
  });
  progress.clear();
  if (rehearsal.scenes.empty()) return ended_early(interrupts, "the first scene was measured");
  const auto record = [&] {
    if (recording && !interrupts.ended()) record_talk(config, *recording, interrupts);
  };
  finish_all(interrupts,
             {[&] { output.finish(line.format->print(rehearsal_document(rehearsal))); }, record});
  return exit_status(assess(rehearsal), interrupts);
}

}  // namespace pipetop::tui
