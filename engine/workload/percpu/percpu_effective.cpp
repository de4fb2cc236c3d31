#include "engine/workload/percpu/percpu_effective.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>

#include "engine/workload/percpu/percpu_knobs.h"

namespace pipetop::percpu {
namespace {

void note(const Settings& requested, std::string_view name, std::string in_force,
          std::string reason, Effective& effective) {
  effective.mismatches.push_back({std::string(name),
                                  find_knob(percpu_knobs(), name)->get(requested),
                                  std::move(in_force), std::move(reason)});
}

void judge_cpus(const Settings& requested, size_t cpus, Effective& effective) {
  if (cpus == 0 || requested.percpu.workers <= cpus) return;
  note(requested, "workers", fmt::format("{} on {} CPUs", requested.percpu.workers, cpus),
       "fewer CPUs than workers: they wait for each other; use fewer workers", effective);
}

void judge_batch(const Settings& requested, Effective& effective) {
  PercpuSettings& s = effective.settings.percpu;
  if (s.batch <= s.rules) return;
  s.batch = s.rules;
  note(requested, "batch", std::to_string(s.batch),
       "there are only that many rules; set more rules", effective);
}

void judge_profile(const Settings& requested, const std::optional<WorkerReport>& first,
                   Effective& effective) {
  if (!first || first->state != WorkerState::refused || first->error_number != EOPNOTSUPP) return;
  note(requested, "profile", "none", std::string(first->reason_text()), effective);
}

}  // namespace

Effective make_effective(const Settings& requested, const InForce& facts) {
  Effective effective;
  effective.settings = requested;
  effective.settled = facts.settled;
  effective.pipe.zero_copy = ZeroCopy::no_copy;
  effective.pipe.zero_copy_reason = "rules go into the kernel; no bytes move";
  effective.pipe.huge = Reading<bool>::unavailable("there are no buffers");
  judge_cpus(requested, facts.cpus, effective);
  judge_batch(requested, effective);
  judge_profile(requested, facts.first, effective);
  return effective;
}

}  // namespace pipetop::percpu
