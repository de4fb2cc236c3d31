#include "tui/command_line/tune_session.h"

#include <fmt/core.h>
#include <signal.h>

#include <optional>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/experiment/tune_trials.h"
#include "engine/host/host.h"
#include "engine/host/pipe_max_size.h"
#include "engine/registry/terms.h"
#include "engine/workload/pipe/pipe_presets.h"
#include "tui/command_line/progress_line.h"
#include "tui/command_line/start.h"
#include "tui/draw/numbers.h"
#include "tui/loop/signals.h"
#include "tui/print/changed_knobs.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kRaisedPipeMaxBytes = 16 << 20;
// A trial that comes to no end is ended this long after the budget's.
constexpr uint64_t kPatienceNs = 300'000'000;

TuneSpaceOptions space_options(const CommandLine& line, const Config& config) {
  TuneSpaceOptions options;
  options.base = config.settings;
  options.fixed = [&line](Settings& settings) {
    for (const KnobFlag& knob : line.knobs) knob.apply(settings);
  };
  options.machine = read_capabilities();
  return options;
}

EngineOptions unwatched(const Config& config) {
  EngineOptions options = engine_options(config);
  options.bpf = BpfUse::off;  // rates are all that counts
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

// The limit as it was, and as it is for now.
class PipeMax {
 public:
  explicit PipeMax(bool may_raise) {
    if (!may_raise) return;
    try {
      raised_.emplace(kRaisedPipeMaxBytes);
    } catch (const Error& e) {
      refusal_ = e.what();  // it was only allowed
    }
  }
  const std::string& refusal() const { return refusal_; }

 private:
  std::optional<RaisedPipeMaxSize> raised_;
  std::string refusal_;
};

class TuneSession {
 public:
  TuneSession(const CommandLine& line, const Config& config)
      : line_(line),
        host_(read_host()),
        pipe_max_(line.tune.may_raise_pipe_max),
        space_(space_options(line, config)),
        engine_(unwatched(config)),
        trials_(engine_, [this] { return go_on() && now_ns() < patience_end_ns(); }) {}

  TuneReport run() {
    const Preset& rung = article_presets().back();
    const CpuTimes before = read_cpu_times();
    const RaceHooks hooks = {
        [this](const Settings& s, const TrialLength& l) { return trials_.measure(s, l); },
        [this] { return now_ns(); },
        [this] { return go_on(); },
        {}};
    TuneReport report;
    report.reference_name = rung.name;
    report.budget_ns = line_.tune.budget_ns;
    report.seed = line_.tune.seed;
    report.result = tune(space_, space_.as_planned(space_.searched_knobs_of(rung.settings)),
                         {begin_ns_, report.budget_ns, report.seed}, hooks,
                         [this](const TuneProgress& p) { progress_.show(progress_text(p)); });
    report.steal_share = Reading<double>::of(steal_share(before, read_cpu_times()));
    report.host = host_;
    report.pipe_max_bytes = read_host().pipe_max_size;
    report.raise_refusal = pipe_max_.refusal();
    report.ended_by_signal = signal_;
    return report;
  }

 private:
  uint64_t now_ns() const { return monotonic_ns() - stopped_ns_; }
  uint64_t patience_end_ns() const { return begin_ns_ + line_.tune.budget_ns + kPatienceNs; }

  bool go_on() {
    const int signal = signals_.take();
    if (signal == SIGTSTP)
      suspend();
    else if (signal != 0)
      signal_ = signal;
    return signal_ == 0;
  }

  // The budget is of the time that it may run.
  void suspend() {
    progress_.clear();
    engine_.suspend();
    const uint64_t begin = monotonic_ns();
    raise(SIGSTOP);
    stopped_ns_ += monotonic_ns() - begin;
    engine_.resume();
    trials_.spoil();
  }

  const CommandLine& line_;
  const uint64_t begin_ns_ = monotonic_ns();
  uint64_t stopped_ns_ = 0;
  int signal_ = 0;
  HostInfo host_;
  // In this order: no signal may come while the limit is raised, and the engine looks at
  // the limit once, at its start.
  SignalFd signals_{SIGINT, SIGTERM, SIGHUP, SIGTSTP};
  PipeMax pipe_max_;
  TuneSpace space_;
  Engine engine_;
  TuneTrials trials_;
  ProgressLine progress_;
};

}  // namespace

TuneReport run_tune(const CommandLine& line, const Config& config) {
  if (config.settings.workload != WorkloadKind::pipe)
    throw Error(fmt::format("tune searches the knobs of a pipe, not of workload {}",
                            terms_of(config.settings).name));
  if (config.settings.pipe.slow_motion)
    throw Error("tune measures at full speed: leave slow_motion out");
  return TuneSession(line, config).run();
}

}  // namespace pipetop::tui
