// The table of workloads, with the terms and the knobs of each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/model/tables.h"

namespace pipetop {

std::span<const WorkloadEntry> workloads();  // in the order in which help lists them
const WorkloadEntry& workload(WorkloadKind kind);

// The presets of a workload, beside a config whose own, `configured`, are of workload `own`.
inline std::span<const Preset> presets_of(WorkloadKind kind, WorkloadKind own,
                                          std::span<const Preset> configured) {
  return kind == own ? configured : workload(kind).presets();
}

// Runs the worker that the control block describes; returns its exit status.
int worker_main(int argc, char** argv);

// ---- terms ------------------------------------------------------------------

inline const WorkloadTerms& terms_of(WorkloadKind kind) { return workload(kind).terms; }
inline const WorkloadTerms& terms_of(const Settings& s) { return terms_of(s.workload); }
inline const WorkloadTerms& terms_of(const Snapshot& s) {
  return s.watched ? kPipelineTerms : terms_of(s.requested);
}

inline const Unit& unit_of(const Settings& s) { return terms_of(s).unit; }
inline std::string_view role_name(const Settings& s, Role role) {
  return terms_of(s).roles[static_cast<size_t>(role)];
}
// The role whose count is the workload's: the last one.
inline Role counting_role(const Settings& s) {
  return role_name(s, Role::reader).empty() ? Role{} : Role::reader;
}
inline bool has_role(const Settings& s, Role role) { return !role_name(s, role).empty(); }
std::vector<Role> roles_of(const Settings& s);

// ---- knobs ------------------------------------------------------------------

// All of them, one workload after the other, then the common ones. `wait` sets both roles.
std::span<const Knob> knobs();

// Those that every workload has. Presets leave them alone.
std::span<const Knob> common_knobs();

// A workload's own, then the common ones.
std::span<const Knob> knobs_of(WorkloadKind kind);
inline std::span<const Knob> knobs_of(const Settings& s) { return knobs_of(s.workload); }
inline bool has_knob(const Settings& s, std::string_view name) {
  return find_knob(knobs_of(s), name) != nullptr;
}
WorkloadKind workload_of(const Knob& knob);  // the first that has it

// In the order in which the key bar shows them.
std::span<const HotKey> hot_keys(WorkloadKind kind);
inline std::span<const HotKey> hot_keys(const Settings& s) { return hot_keys(s.workload); }

// nullptr if there is none of that name.
inline const Knob* find_knob(std::string_view name) { return find_knob(knobs(), name); }

// Throws Error, with the nearest name, if there is no such knob.
const Knob& knob(std::string_view name);

// Checks constraints between knobs, e.g. placement `cpus` needs a CPU. Throws Error.
inline void validate(const Settings& s) { workload(s.workload).validate(s); }

}  // namespace pipetop
