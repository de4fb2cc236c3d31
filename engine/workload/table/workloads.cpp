#include "engine/workload/table/workloads.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/workload/knob_makers.h"
#include "engine/workload/page_cache/page_cache_workload.h"
#include "engine/workload/percpu/percpu_workload.h"
#include "engine/workload/pipe/pipe_workload.h"

namespace pipetop {
namespace {

using namespace knob_makers;

constexpr std::array<std::string_view, 2> kObserving = {"on", "off"};  // by Observing

const std::array kCommonKnobs = {choice<kObserving, &Settings::observers>(
    "observers", {}, "whether BPF programs and perf events run; off shows what they cost")};

// Lit while they are on.
constexpr HotKey observers_key() {
  HotKey key = next_key<kObserving, &Settings::observers>('O', "observers", "observe");
  key.lit = [](const Settings& s) { return s.observers == Observing::on; };
  return key;
}
constexpr std::array kCommonKeys = {observers_key()};

// The rows of each workload, by kind, and the common ones after them.
template <class Row>
std::vector<std::vector<Row>> tables_of(std::span<const Row> (*WorkloadEntry::*own)(),
                                        std::span<const Row> common) {
  std::vector<std::vector<Row>> tables(workloads().size());
  for (const WorkloadEntry& entry : workloads()) {
    std::vector<Row>& table = tables[static_cast<size_t>(entry.kind)];
    std::ranges::copy((entry.*own)(), std::back_inserter(table));
    std::ranges::copy(common, std::back_inserter(table));
  }
  return tables;
}

}  // namespace

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
    std::ranges::copy(kCommonKnobs, std::back_inserter(knobs));
    return knobs;
  }();
  return all;
}

std::span<const Knob> common_knobs() { return kCommonKnobs; }

std::span<const Knob> knobs_of(WorkloadKind kind) {
  static const auto tables = tables_of<Knob>(&WorkloadEntry::knobs, kCommonKnobs);
  return tables[static_cast<size_t>(kind)];
}

std::span<const HotKey> hot_keys(WorkloadKind kind) {
  static const auto tables = tables_of<HotKey>(&WorkloadEntry::hot_keys, kCommonKeys);
  return tables[static_cast<size_t>(kind)];
}

WorkloadKind workload_of(const Knob& knob) {
  const auto has_it = [&](const WorkloadEntry& entry) {
    return find_knob(knobs_of(entry.kind), knob.name) != nullptr;
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
