// What a ladder is started with: presets by their names, and what the command line
// changes about every one of them.
#pragma once

#include <string>

#include "engine/config/config.h"
#include "engine/experiment/ladder.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {

// `config` has the presets to choose from. Throws Error for a rung that there is
// not, or twice, for knobs that do not go together, and for flags without effect here.
LadderOptions ladder_options(const CommandLine& line, const Config& config);

// The knob flags as they were typed: "--pipe_size 1MiB --gift".
std::string knobs_typed(const CommandLine& line);

}  // namespace pipetop::tui
