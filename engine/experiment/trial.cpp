#include "engine/experiment/trial.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/experiment/serve.h"
#include "engine/host/host.h"
#include "engine/registry/terms.h"

namespace pipetop {
namespace {

constexpr uint64_t kTickNs = 50 * kMs;
constexpr uint64_t kSettleLimitNs = 5'000 * kMs;

// False if it was asked to end before.
bool settle(Engine& engine, const GoOn& go_on) {
  uint64_t deadline = monotonic_ns() + kSettleLimitNs;
  std::string preparing;
  for (;;) {
    serve(engine, 2);
    const Snapshot now = engine.tick();
    check_possible(now);
    if (now.effective.settled || now.now_ns > deadline) return true;
    // As long as it comes on.
    if (now.effective.preparing != preparing) deadline = now.now_ns + kSettleLimitNs;
    preparing = now.effective.preparing;
    if (!go_on()) return false;
  }
}

bool warm_up(Engine& engine, uint64_t ns, const GoOn& go_on) {
  const uint64_t end = monotonic_ns() + ns;
  for (uint64_t now = monotonic_ns(); now < end; now = monotonic_ns()) {
    if (!go_on()) return false;
    run_for(engine, std::min(kTickNs, end - now));
  }
  return true;
}

bool is_done(const Trial& trial, const TrialLength& length) {
  return length.bytes != 0 ? trial.bytes() >= length.bytes
                           : trial.duration_ns() >= length.duration_ns;
}

// Up to the end, as far as it can be foreseen, but not for longer than a tick.
uint64_t next_wait_ns(const Trial& trial, const TrialLength& length) {
  const uint64_t elapsed = trial.duration_ns();
  if (length.bytes == 0) return std::min(kTickNs, length.duration_ns - elapsed);
  const double done = double(trial.bytes()) / double(length.bytes);
  if (done <= 0) return kMs;
  return uint64_t(std::clamp(double(elapsed) * (1 / done - 1), double(kMs), double(kTickNs)));
}

Reading<double> steal_between(const CpuTimes& before, const CpuTimes& after) {
  if (after.total <= before.total) return Reading<double>::warming("too short to tell");
  return Reading<double>::of(steal_share(before, after));
}

}  // namespace

double Trial::rate() const {
  const uint64_t ns = end.throughput.clock_ns - begin.throughput.clock_ns;
  return ns == 0 ? 0 : double(bytes()) / unit_of(settings).count / (double(ns) / 1e9);
}

void check_possible(const Snapshot& s) {
  constexpr uint32_t kTooManyRestarts = 3;
  for (const WorkerView& worker : s.workers) {
    const bool refused = worker.state == ProcessState::refused;
    if (!refused && worker.state != ProcessState::failed && worker.restarts < kTooManyRestarts)
      continue;
    throw Error(fmt::format("the {} {}: {}", worker.name,
                            refused ? "was refused what it needs" : "failed", worker.state_reason),
                worker.lacks_feature ? Exit::unsupported
                : refused            ? Exit::refused
                                     : Exit::worker_failed);
  }
  const bool checked = s.requested.pipe.check_huge_page && s.requested.pipe.pages != Pages::k4;
  if (s.effective.settled && checked && s.effective.pipe.huge.has_value() &&
      !*s.effective.pipe.huge)
    throw Error("check_huge_page: the buffers are not in huge pages (see pipetop doctor)",
                Exit::refused);
}

Trial run_trial(Engine& engine, const Settings& settings, const TrialLength& length,
                const GoOn& go_on) {
  Trial trial;
  trial.settings = settings;
  engine.apply(settings, "trial");
  trial.cut_short = !settle(engine, go_on) || !warm_up(engine, length.warmup_ns, go_on);
  const CpuTimes before = read_cpu_times();
  engine.begin_segment("measure");
  trial.begin = trial.end = engine.tick();
  while (!trial.cut_short && !is_done(trial, length)) {
    trial.end = run_for(engine, next_wait_ns(trial, length));
    check_possible(trial.end);
    trial.cut_short = !go_on();
  }
  trial.steal_share = steal_between(before, read_cpu_times());
  return trial;
}

}  // namespace pipetop
