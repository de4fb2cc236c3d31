// The presets on offer, as a table or as JSON.
#pragma once

#include <span>
#include <string>

#include "engine/model/presets.h"

namespace pipetop::tui {

std::string print_presets_human(std::span<const Preset> presets);
std::string print_presets_json(std::span<const Preset> presets);

}  // namespace pipetop::tui
