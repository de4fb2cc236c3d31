#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/host/host.h"
#include "engine/workload/table/workloads.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/command_line/result_files.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kRun_ns = 5 * kSecond, kSweepRun_ns = 2 * kSecond;  // without --duration

TrialLength length_of(const RunRequest& request, uint64_t usual_ns) {
  TrialLength length = request.length;
  if (length.duration_ns == 0) length.duration_ns = usual_ns;
  return length;
}

void check_sweep_flags(const CommandLine& line) {
  if (line.format == &find_format("jsonl"))
    throw Error("--format jsonl supports a single setting only: give human, json or csv");
  if (!line.folded.empty() || !line.segments.empty())
    throw Error("--folded and --segments support a single setting only: remove the range");
  if (!line.record.empty())
    throw Error("--record supports a single setting only: remove the range");
}

LadderOptions options_of(const CommandLine& line, const Config& config) {
  LadderOptions options;
  options.engine = engine_options(config);
  options.engine.functions_window_ns = 0;  // all of a run
  options.rounds = line.run.rounds;
  options.length = length_of(line.run, kSweepRun_ns);
  return options;
}

std::string progress_text(const TrialLength& length, const Trial& so_far) {
  const Unit& unit = unit_of(so_far.settings);
  const std::string goal =
      length.bytes != 0
          ? fmt::format("{:.0f} % of {} {}", 100 * double(so_far.items()) / double(length.bytes),
                        length.bytes, unit.items)
          : fmt::format("{:.1f} of {:.1f} s", double(so_far.duration_ns()) / 1e9,
                        double(length.duration_ns) / 1e9);
  const Reading<double>& rate = so_far.end.throughput.over_1s;
  return rate.has_value() ? fmt::format("{}  {} {}", goal, rate_text(*rate), unit.rate) : goal;
}

class Run {
 public:
  Run(const CommandLine& line, const Config& config)
      : line_(line),
        config_(config),
        output_(line.run.output.empty() ? "-" : line.run.output,
                line.format->print_interval ? WriteMode::as_written : WriteMode::whole),
        folded_(line.folded),
        segments_(line.segments, config.settings),
        recording_(config, {}, line.record),
        progress_(interrupts_, "the measurement starts over",
                  !is_for_people(line) || !output_.is_terminal()) {}

  int run() {
    EngineOptions options = engine_options(config_);
    options.functions_window_ns = 0;  // all since the measurement began
    options.noticed = say_notices(progress_);
    Session session(options, interrupts_);
    const Trial trial = measure(session, length_, listener());
    progress_.clear();
    segments_.write_last(trial.segment);
    session.engine().stop();
    if (trial.duration_ns() > 0) return print(trial, session.engine().tick());
    segments_.finish();
    return ended_early(interrupts_, "the measurement began");
  }

 private:
  TrialListener listener() {
    TrialListener listener;
    listener.began = [this](const Snapshot& now) {
      segments_.write_closed(now);
      record(now);
      interval_begin_ = now;
    };
    listener.ticked = [this](const Trial& so_far, bool last) {
      print_interval(so_far, last);
      record(so_far.end);
      folded_.check(so_far.end);
      progress_.show(progress_text(length_, so_far));
    };
    listener.warned = [this](const std::string& warning) {
      progress_.clear();
      say(warning);
    };
    return listener;
  }

  // The measurement goes on if the recording cannot.
  void record(const Snapshot& now) {
    try {
      recording_.add(now);
    } catch (const Error& e) {
      progress_.clear();
      say(std::string("the recording has ended: ") + e.what());
    }
  }

  void print_interval(const Trial& so_far, bool last) {
    // Timers are slightly late; the last interval is the rest.
    constexpr uint64_t kRunSlack_ns = 50 * kMs;
    const uint64_t length_ns = so_far.end.now_ns - interval_begin_.now_ns;
    const bool is_full = length_ns + kRunSlack_ns >= line_.run.interval_ns;
    if (!is_full && !(last && length_ns >= kRunSlack_ns)) return;
    const auto print = line_.format->print_interval;
    // Nobody may read it any more, but the files should still be written: a failure ends the
    // measurement.
    if (print &&
        !output_.write(print(interval_document(so_far.begin, interval_begin_, so_far.end))))
      interrupts_.end();
    interval_begin_ = so_far.end;
  }

  int print(const Trial& trial, Snapshot after_workers_finished) {
    const RunResult result = {trial, name_of(config_), length_.bytes,
                              std::move(after_workers_finished)};
    const bool for_people = is_for_people(line_);
    const std::string text = line_.format->print(run_document(result));
    finish_all(interrupts_, {[&] { output_.finish((for_people ? "\n" : "") + text); },
                             [&] { folded_.write(trial.segment); }, [&] { segments_.finish(); },
                             [&] { recording_.finish(); }});
    // The text for people has them already.
    if (!for_people)
      for (const Mismatch& m : result.end.effective.mismatches) say(mismatch_text(m));
    return exit_status(assess(result), interrupts_);
  }

  const CommandLine& line_;
  const Config& config_;
  const TrialLength length_ = length_of(line_.run, kRun_ns);
  LateOutput output_;
  FoldedFile folded_;
  SegmentFile segments_;
  RecordingFile recording_;
  Interrupts interrupts_;
  ProgressLine progress_;
  Snapshot interval_begin_;
};

// Over several values of a knob: a table instead of one result.
int sweep_command(const CommandLine& line, const Config& config, const SweepPlan& plan) {
  check_sweep_flags(line);
  Output output(line.run.output);
  Interrupts interrupts;
  ProgressLine progress(interrupts, "this run starts over");
  LadderOptions options = options_of(line, config);
  options.engine.noticed = say_notices(progress);
  const Sweep sweep = run_sweep(plan, options, interrupts,
                                [&](const ExperimentStep& step) { progress.show(step); });
  progress.clear();
  if (sweep.rounds() == 0) return ended_early(interrupts, "a round was complete: no result");
  finish_all(interrupts, {[&] { output.finish(line.format->print(sweep_document(sweep))); }});
  Assessment assessment = sweep.report;
  if (!sweep.report.noise.empty()) assessment.warn(Exit::ok, sweep.report.noise);
  return exit_status(assessment, interrupts);
}

}  // namespace

std::optional<SweepPlan> sweep_plan(const CommandLine& line, const Config& config) {
  if (line.sweep) {
    const auto& [knob, range] = *line.sweep;
    if (!has_knob(config.settings, knob->name))
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

int run_command(const CommandLine& line) {
  const Config config = read_start(line);
  require_no_steps(config.settings);
  if (const auto plan = sweep_plan(line, config)) return sweep_command(line, config, *plan);
  require_vmsplice(config.settings, "give --write_with write");
  const std::string output = line.run.output.empty() ? "-" : line.run.output;
  check_distinct({{"--folded", line.folded},
                  {"--segments", line.segments},
                  {"--record", line.record},
                  {"the result", output, ": give --output FILE"}});
  return Run(line, config).run();
}

}  // namespace pipetop::tui
