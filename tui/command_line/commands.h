// Every command of pipetop. Each returns the exit code and may throw Error.
#pragma once

#include <optional>
#include <string>

#include "engine/config/config.h"
#include "engine/experiment/sweep.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {

// Runs the given command.
int run(const CommandLine& line);

int run_command(const CommandLine& line);
int ladder_command(const CommandLine& line);
int tune_command(const CommandLine& line);
int limits_command(const CommandLine& line);
int doctor_command(const CommandLine& line);
int dashboard_command(const CommandLine& line);

// `pipetop run` over several values of a knob: a table instead of one result.
int sweep_command(const CommandLine& line, const Config& config, const SweepPlan& plan);
// What the run compares: the given range, else the workload's default comparison;
// nothing for a run of one setting. Throws Error.
std::optional<SweepPlan> sweep_plan(const CommandLine& line, const Config& config);

// pipetop help [TOPIC]: the topic, or the list of topics for "". A man page is roff if given with
// its section, "pipetop.1", and plain text otherwise. Throws Error.
std::string help_text(const std::string& topic);

}  // namespace pipetop::tui
