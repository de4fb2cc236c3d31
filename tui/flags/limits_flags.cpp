#include "tui/flags/command_flags.h"
#include "tui/flags/flag_values.h"

namespace pipetop::tui {

void add_limits_flags(const FlagSet& flags, CommandLine& line) {
  add_number(flags, "--rounds", line.limits_rounds, 1, kMaxRounds,
             "rounds of about a second over all steps (default 9)");
  add_format(flags, line);
}

}  // namespace pipetop::tui
