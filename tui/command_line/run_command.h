// pipetop run: measure without a screen.
#pragma once

#include "tui/flags/command_line.h"

namespace pipetop::tui {

// Returns the exit code. Throws Error.
int run_command(const CommandLine& line);

}  // namespace pipetop::tui
