#include "tui/flags/command_flags.h"
#include "tui/flags/flag_values.h"

namespace pipetop::tui {

void add_doctor_flags(const FlagSet& flags, CommandLine& line) {
  add_format(flags, line);
  flags.add_switch("--overhead",
                   "measure the cost of the observers, on the top rung and a blocking one",
                   line.overhead);
  add_number(flags, "--rounds", line.overhead_rounds, 1, kMaxRounds,
             "rounds of --overhead (default 15)");
}

void add_presets_flags(const FlagSet& flags, CommandLine& line) { add_format(flags, line); }

void add_help_flags(const FlagSet& flags, CommandLine& line) {
  flags.add({"topic", "TOPIC", "a topic of the manual, or a command"},
            [&line](const std::string& topic) { line.topic = topic; });
}

}  // namespace pipetop::tui
