#include "engine/registry/workloads.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/registry/knobs.h"
#include "engine/registry/terms.h"
#include "engine/workload/page_cache/page_cache_workload.h"
#include "engine/workload/percpu/percpu_workload.h"
#include "engine/workload/pipe/pipe_workload.h"

namespace pipetop {
namespace {

// The tables one after the other, and where each begins.
struct AllKnobs {
  std::vector<Knob> knobs;
  std::vector<size_t> begins;

  AllKnobs() {
    for (const WorkloadEntry& workload : workloads()) {
      begins.push_back(knobs.size());
      const auto table = workload.knobs();
      knobs.insert(knobs.end(), table.begin(), table.end());
    }
    begins.push_back(knobs.size());
  }
};

const AllKnobs& all() {
  static const AllKnobs all;
  return all;
}

}  // namespace

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

std::span<const Knob> knobs() { return all().knobs; }

std::span<const Knob> knobs_of(WorkloadKind kind) {
  const auto i = static_cast<size_t>(&workload(kind) - workloads().data());
  return knobs().subspan(all().begins[i], all().begins[i + 1] - all().begins[i]);
}

WorkloadKind workload_of(const Knob& knob) {
  const auto index = static_cast<size_t>(&knob - knobs().data());
  const auto after = std::ranges::upper_bound(all().begins, index);
  return workloads()[size_t(after - all().begins.begin() - 1)].kind;
}

std::span<const HotKey> hot_keys(WorkloadKind kind) { return workload(kind).hot_keys(); }

const Knob* find_knob(std::string_view name) { return find_knob(knobs(), name); }

const Knob& knob(std::string_view name) {
  if (const Knob* found = find_knob(name)) return *found;
  std::vector<std::string_view> names;
  for (const Knob& k : knobs()) names.push_back(k.name);
  const auto near = nearest(name, names);
  throw Error(fmt::format("there is no knob \"{}\"{}", name,
                          near ? fmt::format(": did you mean {}?", *near) : std::string()));
}

void validate(const Settings& s) { workload(s.workload).validate(s); }

}  // namespace pipetop
