#include "engine/experiment/overhead.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/experiment/trial.h"
#include "engine/observe/perf_events.h"
#include "engine/observe/ticks.h"

namespace pipetop {
namespace {

// Time for a switch's own disturbance to pass: it interrupts every CPU.
constexpr uint64_t kSwitch_ns = 50 * kMs;
// The sampler needs as long to tell whether the pipe sleeps often.
constexpr uint64_t kWarmUp_ns = 1'000 * kMs;

constexpr uint64_t kFrame_ns = 50 * kMs;

using Phase = double OverheadRound::*;

// The sampler's interrupts without its programs, at such times as its own.
class BareTicks {
 public:
  explicit BareTicks(const SamplingEvent& event) : event_(event) {}

  void poll(uint64_t now_ns) {
    if (event_.share < 1)
      observe::set_rate(kClock, events_.by_cpu, slices_.rate(now_ns, event_.hz));
  }

 private:
  static constexpr auto kClock = observe::PerfClock::cpu_clock;

  const SamplingEvent& event_;
  observe::TickSlices slices_;
  observe::PerfEvents events_ = observe::open_perf_events(kClock, {event_.hz});
};

class OverheadRun {
 public:
  OverheadRun(const OverheadOptions& options, Interrupts& interrupts)
      : session_(options.engine, interrupts), phase_ns_(options.phase_ns) {}

  void warm_up() {
    const Snapshot settled = session_.run_until_settled();
    if (settled.event.status == ReadingStatus::unavailable)
      throw Error(settled.event.reason, Exit::refused);
    const Snapshot warm = session_.run_for(kWarmUp_ns);
    if (warm.event.has_value()) event_ = *warm.event;
    if (event_.share < 1) phase_ns_ = std::max(phase_ns_, observe::TickSlices::kCycle_ns);
  }

  // Alternating direction, so that a drift of the machine favours no phase.
  OverheadRound round(bool backwards) {
    std::array<Phase, 3> phases = {&OverheadRound::off, &OverheadRound::timers, &OverheadRound::on};
    if (backwards) std::ranges::reverse(phases);
    OverheadRound round;
    for (const Phase phase : phases) round.*phase = rate_in(phase);
    return round;
  }

  const SamplingEvent& event() const { return event_; }

 private:
  double rate_in(Phase phase) {
    session_.engine().observe(phase == &OverheadRound::on);
    std::optional<BareTicks> timers;
    if (phase == &OverheadRound::timers) timers.emplace(event_);
    // Observers that have just been switched on tick more often at first than they go on to do.
    const uint64_t settle_ns = phase == &OverheadRound::on ? observe::TickControl::kHurry_ns : 0;
    const Snapshot begin = run_for(kSwitch_ns + settle_ns, timers);
    Snapshot end = run_for(phase_ns_, timers);
    // A ratio needs a non-zero rate, so a phase lasts until something has moved.
    while (end.throughput.total_items == begin.throughput.total_items &&
           !session_.interrupts().ended()) {
      check_possible(end);
      end = run_for(kSwitch_ns, timers);
    }
    const auto bytes = end.throughput.total_items - begin.throughput.total_items;
    return double(bytes) / kGiB / (double(end.now_ns - begin.now_ns) / 1e9);
  }

  Snapshot run_for(uint64_t ns, std::optional<BareTicks>& timers) {
    for (uint64_t left = ns; left > kFrame_ns && !session_.interrupts().ended();
         left -= kFrame_ns) {
      if (timers) timers->poll(monotonic_ns());
      session_.run_for(kFrame_ns);
    }
    if (timers) timers->poll(monotonic_ns());
    return session_.run_for(std::min(ns, kFrame_ns));
  }

  Session session_;
  uint64_t phase_ns_;
  SamplingEvent event_;
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
  overhead.event = run.event();
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
