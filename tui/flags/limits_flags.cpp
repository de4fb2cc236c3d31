#include "tui/flags/command_flags.h"
#include "tui/flags/flag_values.h"

namespace pipetop::tui {

void add_limits_flags(const FlagSet& flags, CommandLine& line) {
  add_number(flags, "--rounds", line.limits_rounds, 1, kMaxRounds,
             "of all steps in turns, of about a second; 9 by default");
  add_format(flags, line);
}

}  // namespace pipetop::tui
