#include "engine/workload/workload.h"

#include <array>

#include "engine/workload/pipe/pipe_workload.h"

namespace pipetop {

Reading<Integrity> Workload::integrity() const {
  return Reading<Integrity>::unavailable("only pages that go through a pipe are checked");
}

Reading<Verdict> Workload::verdict(const Snapshot&) const {
  return Reading<Verdict>::unavailable("a verdict is of the two ends of a pipe");
}

std::span<const WorkloadEntry> workloads() {
  static const std::array entries = {pipe_entry()};
  return entries;
}

const WorkloadEntry& workload(WorkloadKind kind) { return workloads()[static_cast<size_t>(kind)]; }

const WorkloadTerms& terms_of(WorkloadKind kind) { return workload(kind).terms; }

std::vector<Role> roles_of(const Settings& s) {
  std::vector<Role> roles;
  for (const Role role : {Role::writer, Role::reader})
    if (has_role(s, role)) roles.push_back(role);
  return roles;
}

}  // namespace pipetop
