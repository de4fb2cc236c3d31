// The flags of each command. All fill in `line`, which must outlive the parser.
#pragma once

#include "tui/flags/command_line.h"
#include "tui/flags/flag_set.h"

namespace pipetop::tui {

void add_run_flags(const FlagSet& flags, CommandLine& line);
void add_ladder_flags(const FlagSet& flags, CommandLine& line);
void add_tune_flags(const FlagSet& flags, CommandLine& line);
void add_limits_flags(const FlagSet& flags, CommandLine& line);
void add_doctor_flags(const FlagSet& flags, CommandLine& line);
void add_presets_flags(const FlagSet& flags, CommandLine& line);
void add_completion_flags(const FlagSet& flags, CommandLine& line);
void add_help_flags(const FlagSet& flags, CommandLine& line);

}  // namespace pipetop::tui
