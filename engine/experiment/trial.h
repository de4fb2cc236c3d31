// What all commands that measure are made of: an engine with an event loop, what interrupts it, and
// one measurement of some settings: settle, warm up, measure.
#pragma once

#include <signal.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/engine.h"
#include "engine/judge/noise.h"
#include "engine/model/tables.h"

namespace pipetop {

// Signals that end a measurement, and the terminal's request to suspend.
class Interrupts {
 public:
  // Created before any engine: a signal must not arrive while one is half built.
  explicit Interrupts(std::initializer_list<int> signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT,
                                                            SIGTSTP})
      : signals_(signals) {}

  int fd() const { return signals_.get(); }

  // Handles the signals that arrived. SIGTSTP stops this process and the workers of `running` until
  // it is continued, if there is a shell to continue it. False if the measurement should end now.
  bool take(Engine* running = nullptr);

  void end() { ended_ = true; }                       // as a signal does
  void end_at(uint64_t now_ns) { end_ns_ = now_ns; }  // by now_ns()
  bool ended() const { return ended_ || now_ns() >= end_ns_; }
  int signal() const { return signal_; }  // the signal that ended it; 0 if none did

  uint32_t suspensions() const { return suspensions_; }
  // Time during which we were not suspended.
  uint64_t now_ns() const { return monotonic_ns() - stopped_ns_; }

  // Called before it stops, and after it was continued; may be empty.
  std::function<void()> suspending, resumed;

 private:
  void suspend(Engine* running);

  SignalFd signals_;
  bool ended_ = false;
  int signal_ = 0;
  uint32_t suspensions_ = 0;
  uint64_t stopped_ns_ = 0, end_ns_ = UINT64_MAX;
};

// An engine with an event loop, for measuring.
class Session {
 public:
  // `interrupts` must outlive it. Throws Error if the engine cannot be created.
  Session(const EngineOptions& options, Interrupts& interrupts);

  Engine& engine() { return engine_; }
  Interrupts& interrupts() const { return interrupts_; }

  // Serves the engine until something happens, but for at most `ns`; wait() always for this long.
  // False if the measurement should end now.
  bool serve(uint64_t ns);
  bool wait(uint64_t ns);

  // Ticks it 20 times a second, as the dashboard's frames do; the last tick is at the
  // end.
  Snapshot run_for(uint64_t ns);

  // Until all settings are in effect.
  Snapshot run_until_settled();

 private:
  Interrupts& interrupts_;
  Engine engine_;
  EventLoop loop_;
};

struct Trial {
  Settings settings;  // as asked
  Snapshot begin;     // when the measurement began
  Snapshot end;       // when it ended, with data still flowing; parts: rates of all of it
  Segment segment;    // the whole run, with what was observed
  Reading<double> steal_share, cpu_pressure;  // as in a Snapshot, but of all the time in between
  Surroundings around;
  bool cut_short = false;  // it was asked to stop

  // The bytes, or whatever else the workload counts.
  uint64_t items() const { return end.throughput.total_items - begin.throughput.total_items; }
  uint64_t duration_ns() const { return end.now_ns - begin.now_ns; }
  // The mean, in the workload's unit; over its own time, if it has a clock of its own.
  double rate() const;
  // What disturbed it as a whole; "" if nothing did. Much stolen time only with `steal`: see
  // Assessment::warn_of_steal(). A rate that changed only with `drift`.
  std::string noise(bool steal = true, bool drift = true) const;
};

// The exit code for a result, and messages for the user.
struct Assessment {
  Exit exit = Exit::ok;
  std::vector<std::string> warnings;  // one line each; some without an exit code

  // The first exit code counts: later ones follow from it, or matter less.
  void warn(Exit exit, std::string warning);
  // If the host stole much of the time; `consequence` is "the rate is unreliable".
  void warn_of_steal(const Reading<double>& steal_share, std::string_view consequence);
};

// How far an experiment of many runs is.
struct ExperimentStep {
  std::string what;  // that is measured now
  uint32_t round = 1, rounds = 1;
  uint32_t run = 0, runs = 0;  // in all rounds; 0: only rounds are counted
  Reading<uint64_t> left_ns;
};
using StepReport = std::function<void(const ExperimentStep&)>;

// The remaining time of an experiment, from the duration of its runs so far.
// Runs of the same kind take about the same time; another kind may take sixty times
// as long to move the same bytes.
class TimeLeft {
 public:
  // `expected_ns` is used for every run until one was timed; 0: unknown.
  TimeLeft(size_t kinds, uint64_t expected_ns) : taken_(kinds), expected_ns_(expected_ns) {}

  void add(size_t kind, uint64_t ns) { taken_[kind].push_back(double(ns)); }

  // For the remaining runs, counted by kind.
  Reading<uint64_t> of(std::span<const uint32_t> runs) const;

 private:
  std::vector<std::vector<double>> taken_;  // ns of each run, by kind
  uint64_t expected_ns_;
};

struct TrialLength {
  uint64_t warmup_ns = 200'000'000;
  uint64_t duration_ns = 1'000'000'000;
  uint64_t bytes = 0;  // instead of the duration, when not 0
};

// Called during the measurement; each may be empty.
struct TrialListener {
  std::function<void()> waiting;               // about ten times a second, in every phase
  std::function<void(const Snapshot&)> began;  // the measurement, again after a suspension
  std::function<void(const Trial& so_far, bool last)> ticked;
  std::function<void(const std::string&)> warned;
};

// Measures the engine's current settings. If it ends before there is a result, begin and end have
// no time. It ends early if a worker fails or keeps dying. Throws Error if the settings cannot be
// applied.
Trial measure(Session& session, const TrialLength& length, const TrialListener& listener = {});

// Applies `settings` first. Also throws Error if a worker fails.
Trial run_trial(Session& session, const Settings& settings, const TrialLength& length,
                const TrialListener& listener = {});

// Throws Error, like run_trial(), if `s` shows that nothing can be measured.
void check_possible(const Snapshot& s);

// ---- in words ---------------------------------------------------------------

inline constexpr const char* kNotHuge =
    "check_huge_page: the buffers are not in huge pages (see pipetop doctor)";

// Says what happened to a worker that cannot go on: "the writer lacked a resource: why".
std::string failure_text(const WorkerReadings& worker);

// "pipe_size: 4MiB requested, 1MiB effective: why; remedy"
std::string mismatch_text(const Mismatch& mismatch);

}  // namespace pipetop
