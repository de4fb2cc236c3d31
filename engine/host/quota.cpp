#include "engine/host/quota.h"

#include <algorithm>
#include <sstream>

#include "engine/base/system_files.h"
#include "engine/process/cgroups.h"

namespace pipetop {
namespace {

// The number after `name` and a blank.
uint64_t stat_of(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  std::string key;
  for (uint64_t value = 0; lines >> key >> value;)
    if (key == name) return value;
  return 0;
}

// CPUs that a cgroup may use; 0 if it has no quota. v2 has "50000 100000" or "max 100000".
double allowed_cpus(const std::string& folder, bool v2) {
  if (v2) {
    double quota_us = 0, period_us = 0;
    std::istringstream text(read_head(folder + "/cpu.max"));
    return text >> quota_us >> period_us ? quota_us / period_us : 0;
  }
  const auto quota_us = double(read_number(folder + "/cpu.cfs_quota_us", 0));
  if (quota_us <= 0) return 0;
  return quota_us / double(read_number(folder + "/cpu.cfs_period_us", 1));
}

}  // namespace

// Those of our cgroup and of all around it. In a container the path may be the host's: then only
// the root is there, which is ours.
std::vector<QuotaTotals> read_quotas(const std::string& memberships, const std::string& root) {
  std::vector<QuotaTotals> quotas;
  for (Cgroup group : cgroups_with("cpu", memberships, root)) {
    for (bool last = false; !last; group = group.around()) {
      last = group.path.empty();
      const std::string folder = group.folder();
      const double cpus = allowed_cpus(folder, group.v2);
      if (cpus <= 0) continue;
      const std::string stat = read_head(folder + "/cpu.stat");
      quotas.push_back({folder, cpus, stat_of(stat, "nr_periods"), stat_of(stat, "nr_throttled")});
    }
  }
  return quotas;
}

std::vector<QuotaTotals> read_quotas() { return read_quotas(read_head("/proc/self/cgroup")); }

Reading<Throttling> throttling_between(const std::vector<QuotaTotals>& before,
                                       const std::vector<QuotaTotals>& after) {
  auto found = Reading<Throttling>::unavailable("no CPU quota of a cgroup");
  for (const QuotaTotals& now : after) {
    const auto then = std::ranges::find(before, now.cgroup, &QuotaTotals::cgroup);
    if (then == before.end() || now.periods <= then->periods) continue;
    const double share =
        double(now.throttled - then->throttled) / double(now.periods - then->periods);
    if (!found.has_value() || share > found->share)
      found = Reading<Throttling>::of({share, now.cpus, now.cgroup});
  }
  return found;
}

}  // namespace pipetop
