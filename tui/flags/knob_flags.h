// Every knob as a flag, from the table, and the article's spellings.
#pragma once

#include "tui/flags/command_line.h"
#include "tui/flags/flag_set.h"

namespace pipetop::tui {

// Adds the flags; parsing fills in `line`'s knobs and sweep.
void add_knob_flags(const FlagSet& flags, CommandLine& line);

}  // namespace pipetop::tui
