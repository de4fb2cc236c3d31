// pipetop ladder: the article's rungs against each other, in rounds.
#pragma once

#include "tui/flags/command_line.h"

namespace pipetop::tui {

// Returns the exit code. Throws Error.
int ladder_command(const CommandLine& line);

}  // namespace pipetop::tui
