// A search on this machine: the engine, the limits that are raised for it, the
// signals that end it and the line that tells how far it is.
#pragma once

#include "engine/config/config.h"
#include "tui/flags/command_line.h"
#include "tui/print/print_tune.h"

namespace pipetop::tui {

// Knobs that were typed stay as they are; nothing is left changed on the machine when it
// returns. Throws Error when nothing can be measured.
TuneReport run_tune(const CommandLine& line, const Config& config);

}  // namespace pipetop::tui
