#include "engine/registry/workloads.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "engine/base/error.h"
#include "engine/base/text.h"
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

std::vector<Role> roles_of(const Settings& s) {
  std::vector<Role> roles;
  for (const Role role : {Role::writer, Role::reader})
    if (has_role(s, role)) roles.push_back(role);
  return roles;
}

std::span<const Knob> knobs() {
  static const std::vector<Knob> all = [] {
    std::vector<Knob> knobs;
    for (const WorkloadEntry& workload : workloads())
      std::ranges::copy(workload.knobs(), std::back_inserter(knobs));
    return knobs;
  }();
  return all;
}

WorkloadKind workload_of(const Knob& knob) {
  const auto has_it = [&](const WorkloadEntry& workload) {
    return find_knob(workload.knobs(), knob.name) != nullptr;
  };
  return std::ranges::find_if(workloads(), has_it)->kind;
}

const Knob& knob(std::string_view name) {
  if (const Knob* found = find_knob(name)) return *found;
  std::vector<std::string_view> names;
  for (const Knob& k : knobs()) names.push_back(k.name);
  const auto near = nearest(name, names);
  throw Error(fmt::format("there is no knob \"{}\"{}", name,
                          near ? fmt::format(": did you mean {}?", *near) : std::string()));
}

}  // namespace pipetop
