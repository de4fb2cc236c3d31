#include "engine/experiment/trial.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "engine/host/host.h"
#include "engine/host/neighbours.h"
#include "engine/meter/rate_meter.h"
#include "engine/meter/worker_meters.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

constexpr uint64_t kTick_ns = 100 * kMs;  // the meter's own resolution
constexpr uint64_t kSettleTick_ns = 2 * kMs;
constexpr uint64_t kSettleLimit_ns = 5'000 * kMs;
constexpr uint64_t kWorthALook_ns = 500 * kMs;

template <class Function, class... Arguments>
void tell(const Function& function, const Arguments&... arguments) {
  if (function) function(arguments...);
}

bool is_stuck(const WorkerReadings& worker) {
  constexpr uint32_t kTooManyRestarts = 3;
  return worker.state == ProcessState::refused || worker.state == ProcessState::failed ||
         worker.restarts >= kTooManyRestarts;
}

// A process that has not had a CPU yet is fine.
bool is_starting(const Snapshot& s) {
  return std::ranges::any_of(roles_of(s.requested), [&](Role role) {
    return s.worker(role).state == ProcessState::starting;
  });
}

double mean_of(const std::vector<double>& values) {
  return std::reduce(values.begin(), values.end()) / double(values.size());
}

class Measurement {
 public:
  Measurement(Session& session, const TrialLength& length, const TrialListener& listener)
      : session_(session), length_(length), listener_(listener) {}

  Trial run() {
    const bool settled = settle();
    do {
      trial_ = {};
      trial_.cut_short = !settled || !warm_up();
      suspensions_ = session_.interrupts().suspensions();
      if (!trial_.cut_short) measure();
    } while (is_spoiled() && !trial_.cut_short);
    trial_.segment = session_.engine().segment();
    set_part_rates();
    return std::move(trial_);
  }

 private:
  // False if it was asked to stop earlier.
  bool settle() {
    const Interrupts& clock = session_.interrupts();
    uint64_t deadline_ns = clock.now_ns() + kSettleLimit_ns, told_ns = 0;
    std::string preparing;
    while (session_.serve(kSettleTick_ns)) {
      const Snapshot now = session_.engine().tick();
      check_possible(now);
      if (now.effective.settled) return true;
      // While it makes progress.
      if (now.effective.preparing != preparing || is_starting(now))
        deadline_ns = clock.now_ns() + kSettleLimit_ns;
      preparing = now.effective.preparing;
      if (clock.now_ns() > deadline_ns) {
        tell(listener_.warned,
             std::string("not all settings are in effect after 5 s: measuring anyway"));
        return true;
      }
      if (now.now_ns < told_ns + kTick_ns) continue;
      tell(listener_.waiting);
      told_ns = now.now_ns;
    }
    return false;
  }

  bool warm_up() {
    const Interrupts& clock = session_.interrupts();
    const uint64_t end_ns = clock.now_ns() + length_.warmup_ns;
    for (uint64_t now_ns = clock.now_ns(); now_ns < end_ns; now_ns = clock.now_ns()) {
      if (!session_.wait(std::min(kTick_ns, end_ns - now_ns))) return false;
      session_.engine().tick();
      tell(listener_.waiting);
    }
    return true;
  }

  Snapshot tick(Totals totals) {
    Snapshot s = session_.engine().tick(totals);
    // Its counter is read slightly after the total, which it should equal.
    s.workers[static_cast<size_t>(counting_role(s.requested))].counts.items =
        s.throughput.total_items;
    return s;
  }

  void begin() {
    session_.engine().begin_segment("measure");
    trial_.begin = trial_.end = tick(Totals::now);
    passed_.clear();
    trial_.settings = trial_.begin.requested;
    tell(listener_.began, trial_.begin);
  }

  // Until it is complete, cut short or suspended.
  void measure() {
    // Not in short ones of a search, for which it takes too long.
    std::optional<Neighbours> neighbours;
    if (length_.bytes != 0 || length_.duration_ns >= kWorthALook_ns) neighbours.emplace();
    const MachineTotals before = read_machine(monotonic_ns());
    begin();
    for (bool done = false; !done;) {
      trial_.cut_short = !session_.wait(next_wait_ns());
      if (is_spoiled()) break;
      trial_.end = tick(Totals::when_due);
      done = trial_.cut_short || is_done();
      if (done) trial_.end = tick(Totals::now);
      passed_.push_back(trial_.end.throughput.progress());
      tell(listener_.waiting);
      tell(listener_.ticked, trial_, done);
    }
    const MachineShares shares = shares_between(before, read_machine(monotonic_ns()));
    trial_.steal_share = shares.steal;
    trial_.cpu_pressure = shares.pressure;
    trial_.around = {shares.throttling, drift()};
    if (neighbours) trial_.around.neighbours = neighbours->since();
  }

  // Whether it became faster or slower. Halves of less than a second vary in any case.
  Reading<double> drift() const {
    constexpr size_t kEnough = 20;
    if (passed_.size() < kEnough) return Reading<double>::warming("too short to measure");
    const Progress begin = trial_.begin.throughput.progress(), middle = passed_[passed_.size() / 2];
    auto first = rate_between(begin, middle, 1);
    const auto second = rate_between(middle, passed_.back(), 1);
    if (!first.has_value() || !second.has_value() || *first <= 0) return first;
    return Reading<double>::of(*second / *first);
  }

  // Over all of it; the engine's are over the last second. The settings, and so the parts, stay.
  void set_part_rates() {
    for (size_t i = 0; i < trial_.end.parts.size(); ++i) {
      PartReadings& part = trial_.end.parts[i];
      part.rate =
          rate_between(trial_.begin.parts[i].total, part.total, unit_of(trial_.settings).count);
    }
  }

  bool is_spoiled() const { return session_.interrupts().suspensions() != suspensions_; }

  bool is_done() const {
    if (std::ranges::any_of(trial_.end.workers, is_stuck)) return true;
    return length_.bytes != 0 ? trial_.items() >= length_.bytes
                              : trial_.duration_ns() >= length_.duration_ns;
  }

  // Until the expected end, but no longer than to the next tick.
  uint64_t next_wait_ns() const {
    const uint64_t elapsed_ns = trial_.duration_ns();
    if (length_.bytes == 0)
      return std::min(kTick_ns - elapsed_ns % kTick_ns, length_.duration_ns - elapsed_ns);
    const double share = double(trial_.items()) / double(length_.bytes);
    if (share <= 0) return kMs;
    const double left_ns = double(elapsed_ns) * (1 / share - 1);
    return uint64_t(std::clamp(left_ns, double(kMs), double(kTick_ns)));
  }

  Session& session_;
  const TrialLength& length_;
  const TrialListener& listener_;
  Trial trial_;
  uint32_t suspensions_ = 0;      // when the measurement began
  std::vector<Progress> passed_;  // by tick
};

}  // namespace

bool Interrupts::take(Engine* running) {
  while (const int number = signals_.take()) {
    if (number == SIGTSTP) {
      suspend(running);
    } else {
      if (signal_ == 0) signal_ = number;
      ended_ = true;
    }
  }
  return !ended();
}

void Interrupts::suspend(Engine* running) {
  if (suspending) suspending();
  if (running != nullptr) running->suspend();
  const uint64_t begin_ns = monotonic_ns();
  const bool stopped = deliver_stop(SIGTSTP, getpid());
  stopped_ns_ += monotonic_ns() - begin_ns;
  if (running != nullptr) running->resume();
  if (!stopped) return;
  ++suspensions_;
  if (resumed) resumed();
}

Session::Session(const EngineOptions& options, Interrupts& interrupts)
    : interrupts_(interrupts),
      engine_(options),
      loop_({.engine = engine_.event_fd(), .signals = interrupts.fd()}) {}

bool Session::serve(uint64_t ns) {
  loop_.set_timer_once(ns);
  const Events events = loop_.wait();
  if (events.engine) engine_.handle_events();
  return events.signals ? interrupts_.take(&engine_) : !interrupts_.ended();
}

bool Session::wait(uint64_t ns) {
  const uint64_t end_ns = interrupts_.now_ns() + ns;
  for (uint64_t now_ns = interrupts_.now_ns(); now_ns < end_ns; now_ns = interrupts_.now_ns())
    if (!serve(end_ns - now_ns)) return false;
  return true;
}

Snapshot Session::run_for(uint64_t ns) {
  constexpr uint64_t kNap_ns = 50 * kMs;
  const uint64_t end_ns = monotonic_ns() + ns;
  for (uint64_t now_ns = monotonic_ns(); now_ns < end_ns; now_ns = monotonic_ns()) {
    if (!wait(std::min(kNap_ns, end_ns - now_ns))) break;
    if (monotonic_ns() < end_ns) engine_.tick();
  }
  return engine_.tick();
}

Snapshot Session::run_until_settled() {
  for (;;) {
    Snapshot s = engine_.tick();
    if (s.effective.settled || !serve(kMs)) return s;
  }
}

double Trial::rate() const {
  return rate_between(begin.throughput.progress(), end.throughput.progress(),
                      unit_of(settings).count)
      .value.value_or(0);
}

std::string Trial::noise(bool steal, bool drift) const {
  Snapshot whole = end;
  whole.steal_share = steal_share;
  whole.cpu_pressure = cpu_pressure;
  whole.throttling = around.throttling;
  if (!steal && steal_share.value.value_or(0) > kMuchSteal) whole.steal_share = {};
  for (const Role role : roles_of(end.requested)) {
    WorkerReadings& w = whole.workers[static_cast<size_t>(role)];
    w.shares = segment.role(role).shares;
    const auto &first = begin.worker(role).voluntary_switches, &last = w.voluntary_switches;
    w.voluntary_switches_per_s =
        first.has_value() && last.has_value() && *first <= *last
            ? Reading<double>::of(double(*last - *first) * 1e9 / double(duration_ns()))
            : Reading<double>::unavailable("the process was restarted");
  }
  Surroundings counted = around;
  if (!drift) counted.drift = {};
  return noise_in(whole, counted);
}

Reading<uint64_t> TimeLeft::of(std::span<const uint32_t> runs) const {
  // Each kind counts once, no matter how many of its runs were timed.
  std::vector<double> known_ns;
  for (const std::vector<double>& taken : taken_)
    if (!taken.empty()) known_ns.push_back(mean_of(taken));
  const double otherwise_ns = known_ns.empty() ? double(expected_ns_) : mean_of(known_ns);
  if (otherwise_ns == 0) return Reading<uint64_t>::warming("no run has finished yet");
  double left_ns = 0;
  for (size_t kind = 0; kind < runs.size(); ++kind)
    left_ns += runs[kind] * (taken_[kind].empty() ? otherwise_ns : mean_of(taken_[kind]));
  return Reading<uint64_t>::of(static_cast<uint64_t>(left_ns));
}

void Assessment::warn(Exit code, std::string warning) {
  if (exit == Exit::ok) exit = code;
  warnings.push_back(std::move(warning));
}

void Assessment::warn_of_steal(const Reading<double>& steal_share, std::string_view consequence) {
  if (steal_share.has_value() && *steal_share > kMuchSteal)
    warn(Exit::untrustworthy,
         fmt::format("the host stole {:.1f} % of the time: {}", 100 * *steal_share, consequence));
}

void check_possible(const Snapshot& s) {
  const auto worker = std::ranges::find_if(s.workers, is_stuck);
  if (worker != s.workers.end())
    throw Error(failure_text(*worker), worker->lacks_feature ? Exit::unsupported
                                       : worker->state == ProcessState::refused
                                           ? Exit::refused
                                           : Exit::worker_failed);
  const bool checked = s.requested.pipe.check_huge_page && s.requested.pipe.pages != Pages::k4;
  if (s.effective.settled && checked && s.effective.pipe.huge.has_value() &&
      !*s.effective.pipe.huge)
    throw Error(kNotHuge, Exit::refused);
}

std::string failure_text(const WorkerReadings& worker) {
  const bool refused = worker.state == ProcessState::refused;
  return fmt::format("the {} {}{}{}", worker.name, refused ? "lacked a resource" : "failed",
                     worker.state_reason.empty() ? "" : ": ", worker.state_reason);
}

std::string mismatch_text(const Mismatch& m) {
  return fmt::format("{}: {} requested, {} effective: {}", m.knob, m.requested, m.effective,
                     m.reason);
}

Trial measure(Session& session, const TrialLength& length, const TrialListener& listener) {
  return Measurement(session, length, listener).run();
}

Trial run_trial(Session& session, const Settings& settings, const TrialLength& length,
                const TrialListener& listener) {
  session.engine().apply(settings, "trial");
  Trial trial = measure(session, length, listener);
  check_possible(trial.end);
  trial.settings = settings;
  return trial;
}

}  // namespace pipetop
