// The presets of a ladder by name, and what the command line changes in all of
// them.
#pragma once

#include <string>

#include "engine/config/config.h"
#include "engine/experiment/ladder.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {

// `config` has the available presets. Throws Error for an unknown or duplicate rung, for
// conflicting knobs, and for flags without effect here.
LadderOptions ladder_options(const CommandLine& line, const Config& config);

// The knob flags as typed: "--pipe_size 1MiB --gift".
std::string knobs_typed(const CommandLine& line);

}  // namespace pipetop::tui
