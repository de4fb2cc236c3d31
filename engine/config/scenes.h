// The scenes of a talk in a config file.
#pragma once

#include <string_view>
#include <vector>

#include "engine/config/config.h"
#include "engine/config/yaml_document.h"

namespace pipetop {

// `config` has the file's presets, and its settings, which a scene starts from. Throws Error as
// YamlNode::fail() does.
std::vector<Scene> read_scenes(const YamlNode& root, const Config& config);

}  // namespace pipetop
