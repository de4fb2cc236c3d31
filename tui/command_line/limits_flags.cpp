#include "tui/command_line/command_flags.h"

namespace pipetop::tui {
namespace {

constexpr uint32_t kMaxRounds = 1000;

}  // namespace

void add_limits_flags(CLI::App& app, CommandLine& line) {
  add_number(app, "--rounds", line.limits_rounds, 1, kMaxRounds,
             "of all steps in turns, of about a second; 9 by default");
  add_format(app, line.format, {"human", "json"});
}

}  // namespace pipetop::tui
