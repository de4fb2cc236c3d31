#include "engine/registry/workloads.h"

#include <algorithm>
#include <array>

#include "engine/registry/terms.h"
#include "engine/workload/page_cache/page_cache_workload.h"
#include "engine/workload/percpu/percpu_workload.h"
#include "engine/workload/pipe/pipe_workload.h"

namespace pipetop {

std::span<const WorkloadEntry> workloads() {
  static const std::array entries = {pipe_entry(), page_cache_entry(), percpu_entry()};
  return entries;
}

const WorkloadEntry& workload(WorkloadKind kind) {
  return *std::ranges::find(workloads(), kind, &WorkloadEntry::kind);
}

const WorkloadTerms& terms_of(WorkloadKind kind) { return workload(kind).terms; }

std::vector<Role> roles_of(const Settings& s) {
  std::vector<Role> roles;
  for (const Role role : {Role::writer, Role::reader})
    if (has_role(s, role)) roles.push_back(role);
  return roles;
}

}  // namespace pipetop
