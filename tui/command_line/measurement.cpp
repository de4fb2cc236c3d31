#include "tui/command_line/measurement.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/experiment/trial.h"
#include "engine/host/host.h"
#include "engine/registry/terms.h"
#include "tui/command_line/start.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kTickNs = 100 * kMs;  // the meter's own grain
constexpr uint64_t kSettleTickNs = 5 * kMs;
constexpr uint64_t kSettleLimitNs = 5'000 * kMs;
constexpr uint32_t kTooManyRestarts = 3;

EngineOptions options_of(const Config& config) {
  EngineOptions options = engine_options(config);
  options.functions_window_ns = 0;  // all since the measurement began
  return options;
}

bool is_stuck(const WorkerView& worker) {
  return worker.state == ProcessState::refused || worker.state == ProcessState::failed ||
         worker.restarts >= kTooManyRestarts;
}

// Nothing is wrong with a process that has not had a CPU yet.
bool is_starting(const Snapshot& s) {
  return std::ranges::any_of(roles_of(s.requested), [&](Role role) {
    return s.worker(role).state == ProcessState::starting;
  });
}

Reading<double> steal_between(const CpuTimes& before, const CpuTimes& after) {
  if (after.total <= before.total) return Reading<double>::warming("too short to tell");
  return Reading<double>::of(steal_share(before, after));
}

}  // namespace

Measurement::Measurement(const Config& config, const RunRequest& request, RunListener listener)
    : request_(request),
      listener_(std::move(listener)),
      engine_(options_of(config)),
      loop_(engine_.event_fd(), signals_) {}

// False when a signal asks for the end.
bool Measurement::wait(uint64_t timeout_ns) {
  const uint64_t deadline = monotonic_ns() + timeout_ns;
  for (;;) {
    const uint64_t now = monotonic_ns();
    if (now >= deadline) return true;
    const HeadlessEvents events = loop_.wait(deadline - now);
    if (events.engine) engine_.handle_events();
    if (events.signal == SIGTSTP) {
      suspend();
    } else if (events.signal != 0) {
      signal_ = events.signal;
      return false;
    }
    if (events.timer) return true;
  }
}

void Measurement::suspend() {
  engine_.suspend();
  raise(SIGSTOP);
  engine_.resume();
  suspended_ = true;
}

bool Measurement::settle() {
  uint64_t deadline = monotonic_ns() + kSettleLimitNs;
  std::string preparing;
  for (;;) {
    if (!wait(kSettleTickNs)) return false;
    const Snapshot now = engine_.tick();
    check_possible(now);
    if (now.effective.settled) return true;
    // As long as it comes on.
    if (now.effective.preparing != preparing || is_starting(now))
      deadline = now.now_ns + kSettleLimitNs;
    preparing = now.effective.preparing;
    if (now.now_ns < deadline) continue;
    listener_.words("the settings are not all in force after 5 s: measuring all the same");
    return true;
  }
}

bool Measurement::warm_up() {
  const uint64_t end = monotonic_ns() + request_.warmup_ns;
  for (uint64_t now = monotonic_ns(); now < end; now = monotonic_ns()) {
    if (!wait(std::min(kTickNs, end - now))) return false;
    engine_.tick();
  }
  return true;
}

void Measurement::begin(RunResult& result) {
  engine_.begin_segment("measure");
  result.begin = interval_begin_ = engine_.tick();
  listener_.began(result.begin);
  shares_ = {};
  suspended_ = false;
}

bool Measurement::is_done(const RunResult& result) const {
  if (std::ranges::any_of(result.end.workers, is_stuck)) return true;
  if (request_.bytes != 0) return result.bytes() >= request_.bytes;
  return result.duration_ns() >= duration_of(request_);
}

// Up to the end, as far as it can be foreseen, but not for longer than a tick.
uint64_t Measurement::next_timeout(const RunResult& result) const {
  const uint64_t elapsed = result.duration_ns();
  if (request_.bytes == 0)
    return std::min(kTickNs, duration_of(request_) - std::min(elapsed, duration_of(request_)));
  const uint64_t done = result.bytes();
  if (done == 0 || done >= request_.bytes) return kMs;
  const double left_ns = double(elapsed) / double(done) * double(request_.bytes - done);
  return uint64_t(std::clamp(left_ns, double(kMs), double(kTickNs)));
}

void Measurement::report_interval(const RunResult& result, bool last) {
  const Snapshot& now = result.end;
  const uint64_t length = now.now_ns - interval_begin_.now_ns;
  // A timer is late by a little; the last interval is what is left over.
  const bool is_full = length + kTickNs / 2 >= request_.interval_ns;
  if (!is_full && !(last && length >= kTickNs / 2)) return;
  listener_.interval(interval_between(result.begin, interval_begin_, now));
  interval_begin_ = now;
}

void Measurement::measure(RunResult& result) {
  CpuTimes before = read_cpu_times();
  begin(result);
  result.end = result.begin;
  for (bool done = false; !done;) {
    done = !wait(next_timeout(result));
    if (suspended_) {
      listener_.words("suspended: the measurement begins anew");
      before = read_cpu_times();
      begin(result);
      result.end = result.begin;
      continue;
    }
    result.end = engine_.tick();
    for (size_t i = 0; i < kRoles; ++i) shares_[i].add(result.end.workers[i]);
    done = done || is_done(result);
    report_interval(result, done);
    listener_.progress(result);
  }
  result.steal_share = steal_between(before, read_cpu_times());
}

void Measurement::end() {
  listener_.ended(engine_.segment());
  engine_.stop();
}

std::optional<RunResult> Measurement::run() {
  if (!settle() || !warm_up()) {
    end();
    return {};
  }
  RunResult result;
  result.bytes_wanted = request_.bytes;
  measure(result);
  // The snapshot's tables are of a moment before: they are not made at every tick.
  const Segment measured = engine_.segment();
  for (size_t i = 0; i < kRoles; ++i) {
    result.shares[i] = shares_[i].means();
    result.end.workers[i].functions = measured.roles[i].functions;
    result.end.workers[i].blocked = measured.roles[i].blocked;
  }
  result.ended_by_signal = signal_;
  end();
  result.last = engine_.tick();
  return result;
}

}  // namespace pipetop::tui
