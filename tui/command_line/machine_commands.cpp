#include <fmt/core.h>

#include <string>
#include <vector>

#include "engine/doctor/doctor.h"
#include "engine/experiment/limits.h"
#include "engine/experiment/overhead.h"
#include "engine/host/host.h"
#include "engine/registry/workloads.h"
#include "tui/command_line/command_privileges.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

bool has_settings(const CommandLine& line) {
  return !line.preset.empty() || !line.config.empty() || !line.knobs.empty();
}

// The top rung, where every stall shows, and the same with sleeps.
constexpr const char* kOverheadPresets[] = {"busy_loop_huge", "vmsplice_splice_huge"};

NamedOverheads::value_type overhead_of(const std::string& name, const Config& config,
                                       uint32_t rounds, Interrupts& interrupts) {
  OverheadOptions options;
  options.engine = engine_options(config);
  options.rounds = static_cast<int>(rounds);
  ProgressLine progress(interrupts, "this round starts over");
  return {name, measure_overhead(options, interrupts, [&](int done) {
            progress.show(fmt::format("{}: round {} of {}", name, done, rounds));
          })};
}

NamedOverheads measure_overheads(const CommandLine& line, Interrupts& interrupts) {
  const Config config = read_start(line);
  if (has_settings(line))
    return {overhead_of(name_of(config), config, line.overhead_rounds, interrupts)};
  NamedOverheads found;
  for (const char* preset : kOverheadPresets) {
    if (interrupts.ended()) break;
    Config rung = config;
    rung.settings = find_preset(config.presets, preset)->settings;
    found.push_back(overhead_of(preset, rung, line.overhead_rounds, interrupts));
  }
  return found;
}

int overhead_command(const CommandLine& line) {
  Output output("");
  Interrupts interrupts;
  NamedOverheads found = measure_overheads(line, interrupts);
  std::erase_if(found, [](const auto& one) { return one.second.rounds.empty(); });
  if (found.empty()) return ended_early(interrupts, "a round was complete");
  finish_all(interrupts, {[&] { output.finish(line.format->print(overhead_document(found))); }});
  return exit_status({}, interrupts);
}

LimitsOptions limits_options(const CommandLine& line) {
  const Config config = read_start(line);
  LimitsOptions options;
  options.engine = engine_options(config);
  options.engine.functions_window_ns = 0;  // everything since the measurement began
  options.rounds = line.limits_rounds;
  // The user's settings are compared with the same roof.
  if (has_settings(line)) options.presets.push_back({name_of(config), "", config.settings, 0});
  return options;
}

// The remaining seconds, from the duration of the rounds so far; nothing in the first round.
std::string time_left(uint64_t spent_ns, uint32_t round, uint32_t rounds) {
  if (round < 2) return {};
  const double per_round = double(spent_ns) / 1e9 / (round - 1);
  return fmt::format("  {:.0f} s left", per_round * (rounds - round + 1));
}

}  // namespace

int doctor_command(const CommandLine& line) {
  if (line.overhead) return overhead_command(line);
  keep_main_capabilities(privileges_of(line).uses, workloads());
  return print(line.format->print(doctor_document(read_host(), diagnose())));
}

int limits_command(const CommandLine& line) {
  const LimitsOptions options = limits_options(line);
  Output output("");
  Interrupts interrupts;
  ProgressLine progress(interrupts, "the run continues where it was");
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
  finish_all(interrupts,
             {[&] { output.finish(line.format->print(limits_document(read_host(), limits))); }});
  Assessment assessment;
  assessment.warn_of_steal(limits.steal_share, "the rate is unreliable");
  return exit_status(assessment, interrupts);
}

}  // namespace pipetop::tui
