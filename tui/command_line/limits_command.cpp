#include <fmt/core.h>

#include <string>

#include "engine/experiment/limits.h"
#include "engine/host/host.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/messages.h"
#include "tui/command_line/output.h"
#include "tui/command_line/start.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

LimitsOptions limits_options(const CommandLine& line) {
  const Config config = read_start(line);
  LimitsOptions options;
  options.engine = engine_options(config);
  options.engine.functions_window_ns = 0;  // everything since the measurement began
  options.rounds = line.limits_rounds;
  // The user's settings are compared with the same roof.
  if (!line.preset.empty() || !line.config.empty() || !line.knobs.empty())
    options.presets.push_back({name_of(config), "", config.settings, 0});
  return options;
}

// The remaining seconds, from the duration of the rounds so far; nothing in the first round.
std::string time_left(uint64_t spent_ns, uint32_t round, uint32_t rounds) {
  if (round < 2) return {};
  const double per_round = double(spent_ns) / 1e9 / (round - 1);
  return fmt::format("  {:.0f} s left", per_round * (rounds - round + 1));
}

}  // namespace

int limits_command(const CommandLine& line) {
  const LimitsOptions options = limits_options(line);
  Interrupts interrupts;
  ProgressLine progress;
  progress.give_way_to(interrupts, "the run continues where it was");
  const uint64_t start_ns = interrupts.now_ns();
  std::string left;
  uint32_t last_round = 0;
  const Limits limits =
      measure_limits(options, interrupts, [&](uint32_t round, const std::string& step) {
        if (round != last_round)
          left = time_left(interrupts.now_ns() - start_ns, round, options.rounds);
        last_round = round;
        progress.show(fmt::format("round {} of {}{}: {}", round, options.rounds, left, step));
      });
  progress.clear();
  print(line.format->print(limits_document(read_host(), limits)));
  Assessment assessment;
  assessment.warn_of_steal(limits.steal_share, "the rate is unreliable");
  return exit_status(assessment, interrupts);
}

}  // namespace pipetop::tui
