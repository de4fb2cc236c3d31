// The rules; each that matches is said.
//
//   steal      the host takes kSteal of the CPUs' time, or more
//   runnable   a role waits for a CPU kRunnable longer than its wakeups explain, each of which
//              takes kWakeup_ns at most; if their number is unknown, kRunnableAtAll
//   pressure   some task waits for a CPU kPressure longer than our workers do together
//
// Not the last two if our own processes must share CPUs: then they wait for each other.
#include "engine/judge/noise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "engine/judge/evidence.h"

namespace pipetop {
namespace {

// Half of what makes a result untrustworthy.
constexpr double kSteal = 0.025;
// As much as one step of tuning gains.
constexpr double kRunnable = 0.1;
constexpr double kRunnableAtAll = 0.25;
// The tasks of an idle desktop, and pipetop itself, stay below.
constexpr double kPressure = 0.2;

bool share_cpus(const Snapshot& s) {
  if (s.effective.settings.pipe.placement == Placement::same_cpu) return true;
  int processes = 0;
  for (const WorkerReadings& w : s.workers)
    if (!w.name.empty()) processes += w.processes;
  if (s.host && s.host->cpus > 0 && processes > s.host->cpus) return true;
  const auto &first = s.workers.front().last_cpu, &last = s.workers.back().last_cpu;
  return first.has_value() && last.has_value() && *first == *last;
}

bool short_of_cpu(const WorkerReadings& w) {
  const auto runnable = known(w.shares.runnable);
  if (w.state != ProcessState::flowing || !runnable) return false;
  const auto sleeps = known(w.voluntary_switches_per_s);
  if (!sleeps) return *runnable >= kRunnableAtAll;
  return *runnable - *sleeps / w.processes * kWakeup_ns / 1e9 >= kRunnable;
}

std::string who_waits(const Snapshot& s) {
  std::vector<std::string> who;
  for (const WorkerReadings& w : s.workers)
    if (!w.name.empty() && short_of_cpu(w))
      who.push_back(fmt::format("{} runnable {}", w.name, percent(*w.shares.runnable)));
  if (who.empty()) return "";
  return fmt::format("other programs use the CPUs: {}", fmt::join(who, ", "));
}

std::string pressure(const Snapshot& s) {
  const auto all = known(s.cpu_pressure);
  double ours = 0;
  for (const WorkerReadings& w : s.workers)
    ours += known(w.shares.runnable).value_or(0) * w.processes;
  if (!all || *all - ours < kPressure) return "";
  return fmt::format("other programs wait for CPUs {} of the time", percent(*all));
}

}  // namespace

std::string noise_in(const Snapshot& s) {
  std::vector<std::string> reasons;
  const auto steal = known(s.steal_share);
  if (steal && *steal >= kSteal)
    reasons.push_back(fmt::format("the host takes {} of the CPUs' time", percent(*steal)));
  if (!share_cpus(s)) {
    std::string ours = who_waits(s);
    if (ours.empty()) ours = pressure(s);
    if (!ours.empty()) reasons.push_back(std::move(ours));
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace pipetop
