#include "engine/experiment/overhead.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/engine.h"
#include "engine/experiment/serve.h"
#include "engine/experiment/trial.h"
#include "engine/observe/perf_events.h"

namespace pipetop {
namespace {

// What a switch itself disturbs: it interrupts every CPU.
constexpr uint64_t kSwitchNs = 50 * kMs;
constexpr uint64_t kWarmUpNs = 500 * kMs;

using Phase = double OverheadRound::*;

class OverheadRun {
 public:
  explicit OverheadRun(const OverheadOptions& options)
      : options_(options), engine_(options.engine) {}

  void warm_up() {
    const Snapshot s = run_until_settled(engine_);
    if (s.event.status == ReadingStatus::unavailable) throw Error(s.event.reason, Exit::refused);
    frequency_hz_ = s.event->hz;
    run_for(engine_, kWarmUpNs);
  }

  // There and back again, so that a drift of the machine favours no phase.
  OverheadRound round(bool backwards) {
    std::array<Phase, 3> phases = {&OverheadRound::off, &OverheadRound::timers, &OverheadRound::on};
    if (backwards) std::ranges::reverse(phases);
    OverheadRound round;
    for (const Phase phase : phases) round.*phase = rate_in(phase);
    return round;
  }

  uint32_t frequency_hz() const { return frequency_hz_; }

 private:
  double rate_in(Phase phase) {
    engine_.observe(phase == &OverheadRound::on);
    std::optional<observe::PerfEvents> timers;
    if (phase == &OverheadRound::timers)
      timers = observe::open_perf_events(observe::PerfClock::cpu_clock, frequency_hz_);
    const Snapshot begin = run_for(engine_, kSwitchNs);
    Snapshot end = run_for(engine_, options_.phase_ns);
    // There is no ratio to nothing, so a phase lasts until something has moved.
    while (end.throughput.total_bytes == begin.throughput.total_bytes) {
      check_possible(end);
      end = run_for(engine_, kSwitchNs);
    }
    const auto bytes = end.throughput.total_bytes - begin.throughput.total_bytes;
    return double(bytes) / kGiB / (double(end.now_ns - begin.now_ns) / 1e9);
  }

  OverheadOptions options_;
  Engine engine_;
  uint32_t frequency_hz_ = 0;
};

}  // namespace

std::vector<double> Overhead::ratios(double OverheadRound::*phase) const {
  std::vector<double> ratios;
  for (const OverheadRound& round : rounds) ratios.push_back(round.*phase / round.off);
  return ratios;
}

Overhead measure_overhead(const OverheadOptions& options,
                          const std::function<void(int done)>& progress) {
  OverheadRun run(options);
  run.warm_up();
  Overhead overhead;
  overhead.frequency_hz = run.frequency_hz();
  for (int i = 0; i < options.rounds; ++i) {
    overhead.rounds.push_back(run.round(i % 2 == 1));
    progress(i + 1);
  }
  return overhead;
}

}  // namespace pipetop
