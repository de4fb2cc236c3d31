// What to start with: the config file, then --preset, then the knob flags.
#pragma once

#include <string>

#include "engine/config/config.h"
#include "engine/engine.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {

// `no_color` is the variable NO_COLOR, nullptr when it is not set. Throws Error.
Config resolve(const CommandLine& line, Config base, const char* no_color);

// The config of that name or path; default_config() for "". Throws Error.
Config read_config(const std::string& name);

// The config that --config names, resolved.
Config read_start(const CommandLine& line);

// What the engine is started with.
EngineOptions engine_options(const Config& config);

// What the settings are called: the preset that they are, or "custom".
std::string name_of(const Config& config);

// Throws Error, with `instead` as the remedy, when the settings want vmsplice and it
// is refused here: the engine would measure write() in its place.
void require_vmsplice(const Settings& settings, const std::string& instead);

}  // namespace pipetop::tui
