// pipetop doctor: what works on this machine, and what watching costs on it.
#pragma once

#include "tui/flags/command_line.h"

namespace pipetop::tui {

// Returns the exit code. Throws Error.
int doctor_command(const CommandLine& line);

}  // namespace pipetop::tui
