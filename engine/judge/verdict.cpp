#include "engine/judge/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engine/judge/verdict_rules.h"

namespace pipetop {
namespace {

// Why there is nothing to judge, "" if there is.
std::string nothing_flows(const Snapshot& s) {
  if (s.effective.settings.pipe.slow_motion) return "slow motion: pipetop sets the pace";
  for (const WorkerReadings& worker : s.workers)
    if (worker.state != ProcessState::flowing)
      return fmt::format("the {} does not run freely{}{}", to_text(worker.role),
                         worker.state_reason.empty() ? "" : ": ", worker.state_reason);
  return {};
}

// Why it is too early, "" if it is not.
std::string too_early(const Snapshot& s) {
  if (!s.effective.settled) return "the settings are not in effect yet";
  const uint64_t since_ns = s.now_ns - std::min(s.now_ns, s.throughput.current.begin_ns);
  if (since_ns < kVerdictTakes_ns)
    return fmt::format("{:.1f} s since the change, {:.0f} s needed", double(since_ns) / 1e9,
                       double(kVerdictTakes_ns) / 1e9);
  for (const WorkerReadings& worker : s.workers)
    if (worker.shares.on_cpu.status == ReadingStatus::warming)
      return fmt::format("{}'s time: {}", to_text(worker.role), worker.shares.on_cpu.reason);
  return {};
}

std::string role_text(const RoleEvidence& role) {
  std::string text(to_text(role.role));
  const auto add = [&](const char* what, std::optional<double> share) {
    text += fmt::format(" {} {}", what, share ? percent(*share) : "?");
  };
  add("on CPU", role.on_cpu);
  add("runnable", role.runnable);
  add("blocked", role.blocked);
  add("mutex", role.contends);
  return text;
}

std::string nothing_sticks_out(const Evidence& e) {
  std::string text =
      fmt::format("no single bottleneck: {}, {}", role_text(e.roles[0]), role_text(e.roles[1]));
  if (e.ring) text += "; " + ring_text(*e.ring);
  if (!e.unknown.empty()) text += fmt::format("; unknown: {}", fmt::join(e.unknown, ", "));
  return text;
}

}  // namespace

std::string_view to_text(Bound bound) {
  constexpr std::array<std::string_view, 5> kBounds = {"writer-bound", "reader-bound", "lock-bound",
                                                       "wakeup-bound", "cpu-bound"};
  return kBounds[static_cast<size_t>(bound)];
}

Reading<Verdict> judge_bound(const Snapshot& s) {
  using Judged = Reading<Verdict>;
  if (std::string why = nothing_flows(s); s.effective.settled && !why.empty())
    return Judged::unavailable(std::move(why));
  if (s.requested.observers == Observing::off)
    return Judged::unavailable(std::string(why_of(kObserversOff)));
  if (std::string why = too_early(s); !why.empty()) return Judged::warming(std::move(why));
  const Evidence e = gather_evidence(s);
  if (auto verdict = judge_without_samples(e)) return Judged::of(*verdict);
  // A rule with too few samples must not pass the verdict on to the next rule.
  if (!e.thin.empty())
    return Judged::warming(fmt::format("too few samples yet: {}", fmt::join(e.thin, ", ")));
  if (auto verdict = judge_with_samples(e)) return Judged::of(*verdict);
  return Judged::unavailable(nothing_sticks_out(e));
}

}  // namespace pipetop
