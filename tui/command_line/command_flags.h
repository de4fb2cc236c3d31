// The flags of each command, one a file. All of them fill in `line`, which must
// outlive the parser.
#pragma once

#include "tui/command_line/flag_values.h"

namespace pipetop::tui {

void add_run_flags(CLI::App& app, CommandLine& line);
void add_ladder_flags(CLI::App& app, CommandLine& line);
void add_tune_flags(CLI::App& app, CommandLine& line);
void add_limits_flags(CLI::App& app, CommandLine& line);
void add_doctor_flags(CLI::App& app, CommandLine& line);
void add_presets_flags(CLI::App& app, CommandLine& line);

}  // namespace pipetop::tui
