#include "engine/experiment/overhead.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/error.h"
#include "engine/observe/perf_events.h"

namespace pipetop {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr int kTickMs = 50;  // as the dashboard's frames
// What a switch itself disturbs: it interrupts every CPU.
constexpr uint64_t kSwitchNs = 50 * kMs;
constexpr uint64_t kWarmUpNs = 500 * kMs;

using Phase = double OverheadRound::*;

class OverheadRun {
 public:
  explicit OverheadRun(const OverheadOptions& options)
      : options_(options), engine_(engine_options(options)) {}

  void warm_up() {
    Snapshot s = engine_.tick();
    while (!s.effective.settled) s = run_for(5 * kMs);
    if (s.event.status == ReadingStatus::unavailable) throw Error(s.event.reason, Exit::refused);
    frequency_hz_ = s.event->hz;
    run_for(kWarmUpNs);
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
  static EngineOptions engine_options(const OverheadOptions& options) {
    EngineOptions engine;
    engine.settings = options.settings;
    engine.frequency_hz = options.frequency_hz;
    return engine;
  }

  double rate_in(Phase phase) {
    engine_.observe(phase == &OverheadRound::on);
    std::optional<observe::PerfEvents> timers;
    if (phase == &OverheadRound::timers)
      timers = observe::open_perf_events(observe::PerfClock::cpu_clock, frequency_hz_);
    const Snapshot begin = run_for(kSwitchNs);
    const Snapshot end = run_for(options_.phase_ns);
    const auto bytes = end.throughput.total_bytes - begin.throughput.total_bytes;
    return double(bytes) / kGiB / (double(end.now_ns - begin.now_ns) / 1e9);
  }

  Snapshot run_for(uint64_t ns) {
    const uint64_t end = monotonic_ns() + ns;
    for (;;) {
      const uint64_t now = monotonic_ns();
      if (now >= end) return engine_.tick();
      pollfd events = {engine_.event_fd(), POLLIN, 0};
      const auto left_ms = static_cast<int>((end - now + kMs - 1) / kMs);
      if (::poll(&events, 1, std::min(kTickMs, left_ms)) > 0) engine_.handle_events();
      engine_.tick();
    }
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
