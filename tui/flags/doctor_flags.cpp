#include "tui/flags/command_flags.h"
#include "tui/flags/flag_values.h"

namespace pipetop::tui {

void add_doctor_flags(const FlagSet& flags, CommandLine& line) {
  add_format(flags, line);
  flags.add_switch("--overhead",
                   "measure what the observers cost, under the top rung and a blocking one",
                   line.overhead);
  add_number(flags, "--rounds", line.overhead_rounds, 1, kMaxRounds,
             "of that measurement, 15 by default");
}

void add_presets_flags(const FlagSet& flags, CommandLine& line) { add_format(flags, line); }

void add_help_flags(const FlagSet& flags, CommandLine& line) {
  flags.add({"topic", "TOPIC", "of the manual; the names of commands are topics, too"},
            [&line](const std::string& topic) { line.topic = topic; });
}

}  // namespace pipetop::tui
