// The initial settings: the config file, then --preset, then the knob flags.
#pragma once

#include <string>

#include "engine/config/config.h"
#include "engine/engine.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {

// `no_color` is the variable NO_COLOR, nullptr when it is not set. Throws Error.
Config resolve(const CommandLine& line, Config base, const char* no_color);

// The config with that name or path; default_config() for "". Throws Error.
Config read_config(const std::string& name);

// The config of --config, resolved.
Config read_start(const CommandLine& line);

// The options of the engine.
EngineOptions engine_options(const Config& config);

// The name of the settings: the preset that they equal, or "custom".
std::string name_of(const Config& config);

// Throws Error, with `instead` as the remedy, if the settings need vmsplice and it is not allowed
// here: the engine would measure write() instead.
void require_vmsplice(const Settings& settings, const std::string& instead);

}  // namespace pipetop::tui
