// The knobs of a YAML map: flat ("buf_size"), or in a role's own map.
#pragma once

#include <string_view>
#include <vector>

#include "engine/config/yaml_map.h"
#include "engine/model/settings.h"

namespace pipetop {

// The keys that apply_knobs() takes: every knob of the workload, and its roles that
// have knobs of their own.
std::vector<std::string_view> knob_keys(WorkloadKind kind);

// Sets every knob in the map, in the table's order, so that the order of lines does
// not matter, and validates the result.
void apply_knobs(const YamlMap& map, Settings& settings);

}  // namespace pipetop
