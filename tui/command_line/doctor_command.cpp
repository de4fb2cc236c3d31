#include "tui/command_line/doctor_command.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "engine/doctor/doctor.h"
#include "engine/experiment/overhead.h"
#include "engine/host/host.h"
#include "tui/command_line/output.h"
#include "tui/command_line/progress_line.h"
#include "tui/command_line/start.h"
#include "tui/print/print_doctor.h"
#include "tui/print/print_overhead.h"

namespace pipetop::tui {
namespace {

// The top rung, where every stall shows at once, and the same with sleeps.
constexpr const char* kOverheadPresets[] = {"busy_loop_huge", "vmsplice_splice_huge"};

std::string checks_text(Format format) {
  const HostInfo host = read_host();
  const std::vector<Check> checks = diagnose();
  return format == Format::json ? print_doctor_json(host, checks)
                                : print_doctor_human(host, checks);
}

NamedOverhead measure(const std::string& name, const Config& config, uint32_t rounds) {
  OverheadOptions options;
  options.engine = engine_options(config);
  options.rounds = static_cast<int>(rounds);
  ProgressLine progress;
  return {name, measure_overhead(options, [&](int done) {
            progress.show(fmt::format("{}: round {} of {}", name, done, rounds));
          })};
}

std::string overhead_text(const CommandLine& line) {
  std::vector<NamedOverhead> found;
  const Config config = read_start(line);
  if (!line.preset.empty() || !line.config.empty() || !line.knobs.empty()) {
    found.push_back(measure(name_of(config), config, line.overhead_rounds));
  } else {
    for (const char* preset : kOverheadPresets) {
      Config rung = config;
      rung.settings = find_preset(config.presets, preset)->settings;
      found.push_back(measure(preset, rung, line.overhead_rounds));
    }
  }
  return line.format == Format::json ? print_overhead_json(found) : print_overhead_human(found);
}

}  // namespace

int doctor_command(const CommandLine& line) {
  Output output("");
  output.write(line.overhead ? overhead_text(line) : checks_text(line.format));
  output.finish();
  return 0;
}

}  // namespace pipetop::tui
