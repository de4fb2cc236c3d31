// pipetop tune: find the fastest settings on this machine.
#pragma once

#include "tui/flags/command_line.h"

namespace pipetop::tui {

// Returns the exit code. Throws Error.
int tune_command(const CommandLine& line);

}  // namespace pipetop::tui
