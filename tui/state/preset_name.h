// What settings are called, and what a preset changes beyond its name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/model/tables.h"

namespace pipetop::tui {

// The preset that the settings equal, if need be but for slow motion and single steps, which are a
// way to watch it; else "custom".
std::string_view preset_of(std::span<const Preset> presets, const Settings& settings);

// The same with the pace, if it is not the preset's own: "vmsplice_read · slow motion".
std::string name_of(std::span<const Preset> presets, const Settings& settings);

// What a step to a preset takes back of the changes made by hand since the last one, `base`:
// "wait busy → block". "" if nothing.
std::string taken_back(const Settings& base, const Settings& before, const Settings& after);

}  // namespace pipetop::tui
