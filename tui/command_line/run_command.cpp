#include <fmt/core.h>

#include <string>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/registry/terms.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/folded_file.h"
#include "tui/command_line/messages.h"
#include "tui/command_line/output.h"
#include "tui/command_line/segment_file.h"
#include "tui/command_line/start.h"
#include "tui/print/document.h"
#include "tui/print/phrases.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kUsualRunNs = 5 * kSecond;

TrialLength length_of(const RunRequest& request) {
  return {request.warmup_ns, request.duration_ns.value_or(kUsualRunNs), request.bytes};
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
  return rate.has_value() ? fmt::format("{}  {:.2f} {}", goal, *rate, unit.rate) : goal;
}

// Mixed together both would be useless.
void check_outputs(const CommandLine& line) {
  const std::string output = line.run.output.empty() ? "-" : line.run.output;
  for (const auto& [flag, path] :
       {std::pair{"--folded", line.folded}, {"--segments", line.segments}})
    if (path == output)
      throw Error(fmt::format("{} and the result would both go to {}: give --output FILE", flag,
                              output == "-" ? "stdout" : output));
  if (!line.folded.empty() && line.folded == line.segments)
    throw Error(fmt::format("--folded and --segments would both go to {}", line.folded));
}

bool is_for_people(const CommandLine& line) { return line.format == &formats().front(); }

class Run {
 public:
  Run(const CommandLine& line, const Config& config)
      : line_(line),
        config_(config),
        output_(line.run.output),
        folded_(line.folded),
        segments_(line.segments, config.settings),
        progress_(!is_for_people(line) || !output_.is_terminal()) {}

  int run() {
    progress_.give_way_to(interrupts_, "the measurement starts over");
    EngineOptions options = engine_options(config_);
    options.functions_window_ns = 0;  // all since the measurement began
    Session session(options, interrupts_);
    const Trial trial = measure(session, length_, listener());
    progress_.clear();
    segments_.write_last(trial.segment);
    session.engine().stop();
    if (trial.duration_ns() > 0) return print(trial, session.engine().tick());
    segments_.finish();
    return ended_early(interrupts_, "there was anything to measure");
  }

 private:
  TrialListener listener() {
    TrialListener listener;
    listener.began = [this](const Snapshot& now) {
      segments_.write_closed(now);
      interval_begin_ = now;
    };
    listener.ticked = [this](const Trial& so_far, bool last) {
      print_interval(so_far, last);
      folded_.check(so_far.end);
      progress_.show(progress_text(length_, so_far));
    };
    listener.warned = [this](const std::string& warning) {
      progress_.clear();
      say(warning);
    };
    return listener;
  }

  void print_interval(const Trial& so_far, bool last) {
    // Timers are slightly late; the last interval is the rest.
    constexpr uint64_t kSlackNs = 50 * kMs;
    const uint64_t length_ns = so_far.end.now_ns - interval_begin_.now_ns;
    const bool is_full = length_ns + kSlackNs >= line_.run.interval_ns;
    if (!is_full && !(last && length_ns >= kSlackNs)) return;
    const Interval interval = interval_between(so_far.begin, interval_begin_, so_far.end);
    if (const auto print = line_.format->print_interval)
      output_.write(print(interval_document(interval)));
    interval_begin_ = so_far.end;
  }

  int print(const Trial& trial, Snapshot after_workers_finished) {
    RunResult result = run_result(name_of(config_), trial, length_.bytes);
    result.last = std::move(after_workers_finished);
    result.ended_by_signal = interrupts_.signal();
    const bool for_people = is_for_people(line_);
    output_.write((for_people ? "\n" : "") + line_.format->print(run_document(result)));
    output_.finish();
    folded_.write(trial.segment);
    segments_.finish();
    // The text for people has them already.
    if (!for_people)
      for (const Mismatch& m : result.end.effective.mismatches) say(mismatch_text(m));
    return exit_status(assess(result), interrupts_);
  }

  const CommandLine& line_;
  const Config& config_;
  const TrialLength length_ = length_of(line_.run);
  Output output_;
  FoldedFile folded_;
  SegmentFile segments_;
  ProgressLine progress_;
  Interrupts interrupts_;
  Snapshot interval_begin_;
};

}  // namespace

int run_command(const CommandLine& line) {
  const Config config = read_start(line);
  if (const auto plan = sweep_plan(line, config)) return sweep_command(line, config, *plan);
  require_vmsplice(config.settings, "give --write_with write");
  check_outputs(line);
  return Run(line, config).run();
}

}  // namespace pipetop::tui
