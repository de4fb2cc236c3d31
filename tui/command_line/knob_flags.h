// Every knob as a flag, from the table, and the article's spellings.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <vector>

#include "tui/command_line/command_line.h"

namespace pipetop::tui {

// Adds the flags to `app`; parsing appends to `typed`, which must outlive it.
void add_knob_flags(CLI::App& app, std::vector<KnobFlag>& typed);

}  // namespace pipetop::tui
