// The rules; each that matches is said.
//
//   steal      the host takes kSteal of the CPUs' time, or more
//   quota      a CPU quota stops us before the end of kThrottled of its periods, or more
//   runnable   a role waits for a CPU kRunnable longer than its wakeups explain, each of which
//              takes kWakeup_ns at most; if their number is unknown, kRunnableAtAll. If our own
//              processes share CPUs, it may have waited for them as long as they ran.
//   pressure   some task waits for a CPU kPressure longer than our workers do together; not if ours
//              share CPUs
//   drift      the second half is kDrift times as fast as the first, or as slow
//
// Runnable and pressure are not the programs' doing if a quota stops us: it may all be that.
#include "engine/judge/noise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
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
constexpr double kThrottled = 0.05;
constexpr double kDrift = 1.25;
constexpr size_t kMostNeighbours = 2;
constexpr int kOurs = 2;  // CPUs that a writer and a reader take

bool share_cpus(const Snapshot& s) {
  const Settings& settings = s.effective.settings;
  if (settings.pipe.placement == Placement::same_cpu ||
      (s.effective.pipe.bytes != 0 && settings.pipe.placement == Placement::unpinned))
    return true;
  int processes = 0;
  for (const WorkerReadings& w : s.workers)
    if (!w.name.empty()) processes += w.processes;
  if (s.host && s.host->cpus > 0 && processes > s.host->cpus) return true;
  const auto &first = s.workers.front().last_cpu, &last = s.workers.back().last_cpu;
  return first.has_value() && last.has_value() && *first == *last;
}

// As a share of the time, how long one of `w` may have waited for others of ours; 1 if unknown.
double waited_for_ours(const Snapshot& s, const WorkerReadings& w) {
  double ran = 0;
  for (const WorkerReadings& other : s.workers)
    if (const int others = other.processes - (&other == &w ? 1 : 0); !other.name.empty())
      ran += others > 0 ? known(other.shares.on_cpu).value_or(1) * others : 0;
  return ran;
}

bool short_of_cpu(const Snapshot& s, const WorkerReadings& w) {
  const auto runnable = known(w.shares.runnable);
  if (w.state != ProcessState::flowing || !runnable) return false;
  const double foreign = *runnable - (share_cpus(s) ? waited_for_ours(s, w) : 0);
  const auto sleeps = known(w.voluntary_switches_per_s);
  if (!sleeps) return foreign >= kRunnableAtAll;
  return foreign - *sleeps / w.processes * kWakeup_ns / 1e9 >= kRunnable;
}

std::string who_waits(const Snapshot& s) {
  std::vector<std::string> who;
  for (const WorkerReadings& w : s.workers)
    if (!w.name.empty() && short_of_cpu(s, w))
      who.push_back(fmt::format("{} runnable {}", w.name, percent(*w.shares.runnable)));
  if (who.empty()) return "";
  return fmt::format("other programs use the CPUs: {}", fmt::join(who, ", "));
}

std::string busiest(const std::vector<Neighbour>& neighbours) {
  std::string text;
  for (const Neighbour& n :
       std::span(neighbours).first(std::min<size_t>(neighbours.size(), kMostNeighbours)))
    text += fmt::format(", {} (PID {}) {:.1f} CPUs", n.name, n.pid, n.cpus);
  return text;
}

std::string quota(const Reading<Throttling>& throttling) {
  const auto t = known(throttling);
  if (!t || t->share < kThrottled) return "";
  return fmt::format("a quota of {:.3g} CPUs stops it in {} of its periods: {}", t->cpus,
                     percent(t->share), t->cgroup);
}

std::string drift(const Reading<double>& ratio) {
  const auto r = known(ratio);
  if (!r || std::max(*r, 1 / *r) < kDrift) return "";
  return fmt::format("the second half of the time was {:.2f} times as fast as the first", *r);
}

std::string pressure(const Snapshot& s) {
  const auto all = known(s.cpu_pressure);
  double ours = 0;
  for (const WorkerReadings& w : s.workers)
    ours += known(w.shares.runnable).value_or(0) * w.processes;
  if (!all || share_cpus(s) || *all - ours < kPressure) return "";
  return fmt::format("other programs wait for CPUs {} of the time", percent(*all));
}

}  // namespace

std::string noise_in(const Snapshot& s, const Surroundings& around) {
  std::vector<std::string> reasons;
  const auto steal = known(s.steal_share);
  if (steal && *steal >= kSteal)
    reasons.push_back(fmt::format("the host takes {} of the CPUs' time", percent(*steal)));
  std::string others = quota(s.throttling);
  if (others.empty()) {
    others = who_waits(s);
    if (others.empty()) others = pressure(s);
    if (!others.empty()) others += busiest(around.neighbours);
  }
  for (std::string reason : {others, drift(around.drift)})
    if (!reason.empty()) reasons.push_back(std::move(reason));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

std::string noise_around(const Surroundings& around, int cpus) {
  std::string reason = quota(around.throttling);
  double used = 0;
  for (const Neighbour& n : around.neighbours) used += n.cpus;
  if (reason.empty() && used >= kPressure + std::max(0, cpus - kOurs))
    reason = fmt::format("other programs use {:.1f} of {} CPUs{}", used, cpus,
                         busiest(around.neighbours));
  return reason;
}

}  // namespace pipetop
