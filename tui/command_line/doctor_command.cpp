#include <fmt/core.h>

#include <string>
#include <vector>

#include "engine/doctor/doctor.h"
#include "engine/experiment/overhead.h"
#include "engine/host/host.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/messages.h"
#include "tui/command_line/output.h"
#include "tui/command_line/start.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

// The top rung, where every stall shows, and the same with sleeps.
constexpr const char* kOverheadPresets[] = {"busy_loop_huge", "vmsplice_splice_huge"};

NamedOverheads::value_type overhead_of(const std::string& name, const Config& config,
                                       uint32_t rounds, Interrupts& interrupts) {
  OverheadOptions options;
  options.engine = engine_options(config);
  options.rounds = static_cast<int>(rounds);
  ProgressLine progress;
  progress.give_way_to(interrupts, "this round starts over");
  return {name, measure_overhead(options, interrupts, [&](int done) {
            progress.show(fmt::format("{}: round {} of {}", name, done, rounds));
          })};
}

NamedOverheads measure_overheads(const CommandLine& line, Interrupts& interrupts) {
  const Config config = read_start(line);
  if (!line.preset.empty() || !line.config.empty() || !line.knobs.empty())
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
  Interrupts interrupts;
  NamedOverheads found = measure_overheads(line, interrupts);
  std::erase_if(found, [](const auto& one) { return one.second.rounds.empty(); });
  if (found.empty()) return ended_early(interrupts, "a round was complete");
  print(line.format->print(overhead_document(found)));
  return exit_status({}, interrupts);
}

}  // namespace

int doctor_command(const CommandLine& line) {
  if (line.overhead) return overhead_command(line);
  return print(line.format->print(doctor_document(read_host(), diagnose())));
}

}  // namespace pipetop::tui
