// Every command of pipetop, by its name.
#pragma once

#include "tui/flags/command_line.h"

namespace pipetop::tui {

// Returns the exit code. Throws Error.
int run(const CommandLine& line);

}  // namespace pipetop::tui
