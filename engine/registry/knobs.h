// The knobs of all workloads.
#pragma once

#include <span>
#include <string_view>

#include "engine/model/tables.h"

namespace pipetop {

// All of them, one workload after the other. `wait` sets both roles.
std::span<const Knob> knobs();

// Those of a workload, a part of knobs().
std::span<const Knob> knobs_of(WorkloadKind kind);
inline std::span<const Knob> knobs_of(const Settings& s) { return knobs_of(s.workload); }
WorkloadKind workload_of(const Knob& knob);  // one of knobs()

// In the order in which the key bar shows them.
std::span<const HotKey> hot_keys(WorkloadKind kind);
inline std::span<const HotKey> hot_keys(const Settings& s) { return hot_keys(s.workload); }

// nullptr if there is none of that name.
const Knob* find_knob(std::string_view name);

// Throws Error, with the nearest name, if there is no such knob.
const Knob& knob(std::string_view name);

// Checks constraints between knobs, e.g. placement `cpus` needs a CPU. Throws Error.
void validate(const Settings&);

}  // namespace pipetop
