#include "tui/command_line/limits_command.h"

#include <fmt/core.h>

#include <string>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/experiment/limits.h"
#include "engine/host/host.h"
#include "tui/command_line/output.h"
#include "tui/command_line/progress_line.h"
#include "tui/command_line/start.h"
#include "tui/command_line/words.h"
#include "tui/loop/signals.h"
#include "tui/print/print_limits.h"
#include "tui/print/run_result.h"

namespace pipetop::tui {
namespace {

LimitsOptions limits_options(const CommandLine& line) {
  const Config config = read_start(line);
  LimitsOptions options;
  options.engine = engine_options(config);
  options.engine.functions_window_ns = 0;  // all since a measurement began
  options.rounds = line.limits_rounds;
  // Settings of one's own are held against the same roof.
  if (!line.preset.empty() || !line.config.empty() || !line.knobs.empty())
    options.presets.push_back({name_of(config), "", config.settings, 0});
  return options;
}

// The seconds that are left, as rounds so far took; nothing in the first round.
std::string time_left(uint64_t start_ns, uint32_t round, uint32_t rounds) {
  if (round < 2) return {};
  const double per_round = double(monotonic_ns() - start_ns) / 1e9 / (round - 1);
  return fmt::format("  {:.0f} s left", per_round * (rounds - round + 1));
}

}  // namespace

int limits_command(const CommandLine& line) {
  const LimitsOptions options = limits_options(line);
  Output output("");
  const SignalFd signals{SIGINT, SIGTERM, SIGHUP};
  int signal = 0;
  ProgressLine progress;
  const uint64_t start_ns = monotonic_ns();
  std::string left;
  uint32_t last_round = 0;
  const Limits limits = measure_limits(
      options,
      [&] {
        if (signal == 0) signal = signals.take();
        return signal == 0;
      },
      [&](uint32_t round, const std::string& step) {
        if (round != last_round) left = time_left(start_ns, round, options.rounds);
        last_round = round;
        progress.show(fmt::format("round {} of {}{}: {}", round, options.rounds, left, step));
      });
  progress.clear();
  output.write(line.format == Format::json ? print_limits_json(read_host(), limits)
                                           : print_limits_human(read_host(), limits));
  output.finish();
  Judgement judgement;
  judge_steal(limits.steal_share, judgement);
  for (const std::string& words : judgement.words) say(words);
  return signal != 0 ? kSignalExit + signal : static_cast<int>(judgement.exit);
}

}  // namespace pipetop::tui
