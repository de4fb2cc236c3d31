// pipetop limits: what a pipe's steps cost on this machine, and the roof that follows.
#pragma once

#include "tui/flags/command_line.h"

namespace pipetop::tui {

// Returns the exit code. Throws Error.
int limits_command(const CommandLine& line);

}  // namespace pipetop::tui
