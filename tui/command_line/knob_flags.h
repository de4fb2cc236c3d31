// Every knob as a flag, from the table, and the article's spellings.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "tui/command_line/command_line.h"

namespace pipetop::tui {

// Adds the flags to `app`; parsing fills in `line`'s knobs and sweep.
void add_knob_flags(CLI::App& app, CommandLine& line);

}  // namespace pipetop::tui
