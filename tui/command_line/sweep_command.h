// `pipetop run` over several values of a knob: a table instead of one result.
#pragma once

#include <optional>

#include "engine/config/config.h"
#include "engine/experiment/sweep.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {

// What the run is to compare: the range that was typed, else what its workload
// compares by itself; nothing for a run of one setting. Throws Error.
std::optional<SweepPlan> sweep_plan(const CommandLine& line, const Config& config);

int sweep_command(const CommandLine& line, const Config& config, const SweepPlan& plan);

}  // namespace pipetop::tui
