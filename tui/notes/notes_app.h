// `pipetop notes`: shows a talk's notes on another terminal, before it begins, while it goes on,
// and after its end, until the user quits.
#pragma once

#include "engine/config/config.h"

namespace pipetop::tui {

// Returns the exit code, as run_dashboard() does. Throws Error if there is no terminal.
int run_notes(const Config& config);

}  // namespace pipetop::tui
