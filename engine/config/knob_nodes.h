// The parts of a config file that several of its maps have: knobs, the workload that they are of, a
// title; and the scenes. All throw Error as YamlNode::fail() does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/config/config.h"
#include "engine/config/yaml_document.h"
#include "engine/model/settings.h"

namespace pipetop {

using KnobNames = std::vector<std::string_view>;

// It determines the knobs, so it comes first of all.
WorkloadKind read_workload(const YamlNode& map, WorkloadKind otherwise);

// Throws unless all keys of the map are in `own`, knobs of the workload, or its roles that have
// knobs of their own. `what`: "a scene".
void check_keys(const YamlNode& map, std::string_view what, WorkloadKind kind, KnobNames own);

// Sets the knobs that the map has, but for `besides`, whose name means something else there.
void apply_knobs(const YamlNode& map, Settings& settings, std::string_view besides = {});

// Throws unless it is one line.
std::string read_title(const YamlNode& title);

// The scenes of a talk. `config` has the file's presets, and its settings, which a scene starts
// from.
std::vector<Scene> read_scenes(const YamlNode& root, const Config& config);

}  // namespace pipetop
