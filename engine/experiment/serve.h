// Runs an engine for somebody who has no event loop of his own.
#pragma once

#include <cstdint>

#include "engine/engine.h"

namespace pipetop {

// Serves it for at most `ms`, or until it has had an event.
void serve(Engine& engine, int ms);

// Ticks it 20 times a second, as the dashboard's frames do; the last tick is at the
// end.
Snapshot run_for(Engine& engine, uint64_t ns);

// Until all settings are in force.
Snapshot run_until_settled(Engine& engine);

}  // namespace pipetop
