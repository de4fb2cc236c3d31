#include "engine/experiment/overhead.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/experiment/trial.h"
#include "engine/observe/perf_events.h"

namespace pipetop {
namespace {

// Time for a switch's own disturbance to pass: it interrupts every CPU.
constexpr uint64_t kSwitchNs = 50 * kMs;
constexpr uint64_t kWarmUpNs = 500 * kMs;

using Phase = double OverheadRound::*;

class OverheadRun {
 public:
  OverheadRun(const OverheadOptions& options, Interrupts& interrupts)
      : options_(options), session_(options.engine, interrupts) {}

  void warm_up() {
    const Snapshot s = session_.run_until_settled();
    if (s.event.status == ReadingStatus::unavailable) throw Error(s.event.reason, Exit::refused);
    if (s.event.has_value()) frequency_hz_ = s.event->hz;
    session_.run_for(kWarmUpNs);
  }

  // Alternating direction, so that a drift of the machine favours no phase.
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
    session_.engine().observe(phase == &OverheadRound::on);
    std::optional<observe::PerfEvents> timers;
    if (phase == &OverheadRound::timers)
      timers = observe::open_perf_events(observe::PerfClock::cpu_clock, frequency_hz_);
    const Snapshot begin = session_.run_for(kSwitchNs);
    Snapshot end = session_.run_for(options_.phase_ns);
    // A ratio needs a non-zero rate, so a phase lasts until something has moved.
    while (end.throughput.total_items == begin.throughput.total_items &&
           !session_.interrupts().ended()) {
      check_possible(end);
      end = session_.run_for(kSwitchNs);
    }
    const auto bytes = end.throughput.total_items - begin.throughput.total_items;
    return double(bytes) / kGiB / (double(end.now_ns - begin.now_ns) / 1e9);
  }

  OverheadOptions options_;
  Session session_;
  uint32_t frequency_hz_ = 0;
};

}  // namespace

std::vector<double> Overhead::ratios(double OverheadRound::*phase) const {
  std::vector<double> ratios;
  for (const OverheadRound& round : rounds) ratios.push_back(round.*phase / round.off);
  return ratios;
}

Overhead measure_overhead(const OverheadOptions& options, Interrupts& interrupts,
                          const std::function<void(int done)>& progress) {
  OverheadRun run(options, interrupts);
  run.warm_up();
  Overhead overhead;
  overhead.frequency_hz = run.frequency_hz();
  for (int done = 0; done < options.rounds && !interrupts.ended();) {
    const uint32_t suspensions = interrupts.suspensions();
    const OverheadRound round = run.round(done % 2 == 1);
    if (interrupts.ended() || interrupts.suspensions() != suspensions) continue;
    overhead.rounds.push_back(round);
    progress(++done);
  }
  return overhead;
}

}  // namespace pipetop
