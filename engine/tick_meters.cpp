#include "engine/tick_meters.h"

#include <utility>

#include "engine/base/clock.h"
#include "engine/judge/noise.h"

namespace pipetop {
namespace {

// Shares of samples are not useful, and not readable, twenty times a second.
constexpr uint64_t kFunctionsInterval = 200 * kMs;

}  // namespace

void TickMeters::restart() {
  for (WorkerMeter& meter : workers_) meter.restart();
  integrity_.restart();
}

void TickMeters::forget(uint64_t now_ns) {
  functions_at_ns_ = 0;
  verdict_due_ns_ = now_ns + kVerdictTakes_ns;  // a run of one second ends with the first one
  verdict_.restart();
  restart();
}

void TickMeters::sample(uint64_t now_ns, const EngineLife& life, Totals totals) {
  refresh_functions(now_ns, life);
  machine_.sample(now_ns);
  if (const auto pages = workload_.integrity(); pages.has_value())
    integrity_.sample(now_ns, *pages);
  for (const Role role : kBothRoles)
    of(role).sample(now_ns, pool_.counts(role), pool_.pids(role), observers_.times(role), totals);
  part_rates_.sample(now_ns, workload_.parts());
}

void TickMeters::refresh_functions(uint64_t now_ns, const EngineLife& life) {
  const bool due = now_ns >= verdict_due_ns_;
  if (due) verdict_due_ns_ = UINT64_MAX;
  judge_ = !life.finished && (due || now_ns >= functions_at_ns_ + kFunctionsInterval);
  if (!judge_ && !life.finished) return;
  bool warming = false;
  for (const Role role : kBothRoles) {
    const auto i = static_cast<size_t>(role);
    functions_[i] = observers_.functions(role);
    blocked_[i] = observers_.blocked(role);
    // The start of a process is not part of a technique.
    if (!life.settled_once && functions_[i].has_value())
      functions_[i] = Reading<FunctionTable>::warming("starting");
    warming = warming || functions_[i].status == ReadingStatus::warming;
  }
  functions_at_ns_ = warming ? 0 : now_ns;  // the first sample is shown at once
}

void TickMeters::describe(const EngineLife& life, Snapshot& s) {
  s.parts = parts();
  s.ring = ring(s.now_ns, s.effective);
  for (const Role role : kBothRoles)
    s.workers[static_cast<size_t>(role)] = view_of(role, life, s.effective);
  s.integrity = workload_.integrity();
  if (s.integrity.has_value()) s.integrity.value = integrity_.describe(*s.integrity);
  const MachineShares shares = machine_.shares();
  s.steal_share = shares.steal;
  s.cpu_pressure = shares.pressure;
  s.throttling = shares.throttling;
  if (judge_) verdict_.add(s.now_ns, workload_.verdict(s));
  s.verdict = verdict_.shown();
  s.event = observers_.event();
  s.bpf_counters = observers_.counters();
  noise_.add(s.now_ns, noise_in(s));
  s.noise = noise_.shown();
}

std::vector<PartReadings> TickMeters::parts() const {
  std::vector<PartReadings> views = part_rates_.describe(workload_.parts());
  for (PartReadings& part : views)
    for (const WorkerMeter& meter : workers_)
      if (const auto cpu = meter.cpu_of(part.pid)) part.cpu = Reading<int>::of(*cpu);
  return views;
}

WorkerReadings TickMeters::view_of(Role role, const EngineLife& life,
                                   const Effective& effective) const {
  const auto i = static_cast<size_t>(role);
  WorkerReadings view;
  view.role = role;
  view.name = terms_.roles[i];
  if (view.name.empty()) return view;
  const auto unanswered = life.settled_once ? ProcessState::changing : ProcessState::starting;
  describe_state(pool_.of(role), {life.suspended, unanswered, terms_.prepares, terms_.does}, view);
  of(role).describe(pool_.counts(role), view);
  view.technique = workload_.technique(role, effective);
  view.functions = functions_[i];
  view.blocked = blocked_[i];
  return view;
}

RingReadings TickMeters::ring(uint64_t now_ns, const Effective& effective) {
  Reading<RingFrame> frame = observers_.ring_frame(now_ns);
  // At full speed nobody knows how much went through between the frame and the counts.
  if (frame.has_value() && effective.settings.pipe.slow_motion)
    if (const auto passage = workload_.passage()) rewritten_.mark(*frame.value, *passage);
  return {.slots = static_cast<uint32_t>(effective.pipe.bytes / kPageBytes),
          .bytes = effective.pipe.bytes,
          .frame = std::move(frame),
          .occupancy = observers_.occupancy(now_ns),
          .history = observers_.occupancy_history(),
          .kinds = observers_.kinds()};
}

}  // namespace pipetop
