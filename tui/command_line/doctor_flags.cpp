#include "tui/command_line/command_flags.h"

namespace pipetop::tui {
namespace {

constexpr uint32_t kMaxRounds = 1000;

}  // namespace

void add_doctor_flags(CLI::App& app, CommandLine& line) {
  add_format(app, line.format, {"human", "json"});
  app.add_flag("--overhead", line.overhead,
               "measure what the observers cost, under the top rung and a blocking one");
  add_number(app, "--rounds", line.overhead_rounds, 1, kMaxRounds,
             "of that measurement, 15 by default");
}

void add_presets_flags(CLI::App& app, CommandLine& line) {
  add_format(app, line.format, {"human", "json"});
}

}  // namespace pipetop::tui
