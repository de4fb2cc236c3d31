// What is given and has no use, or no meaning beside what else is given.
#pragma once

#include <CLI/App.hpp>

#include "tui/flags/command_line.h"

namespace pipetop::tui {

// Throws Error, which names the flag and says what to do, for the first that is wrong in `line`.
// `app` has parsed it.
void refuse_misuse(const CommandLine& line, const CLI::App& app);

}  // namespace pipetop::tui
