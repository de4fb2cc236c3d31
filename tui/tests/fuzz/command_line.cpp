// A command line, one argument per line; as far as it is only parsed.
#include "tui/flags/command_line.h"

#include <optional>

#include "engine/base/text.h"
#include "engine/config/config.h"
#include "engine/experiment/ladder.h"
#include "engine/tests/fuzz/fuzz.h"
#include "engine/workload/table/workloads.h"

using namespace pipetop;
using fuzz::accepted;
using fuzz::expect;

namespace {

// None refuses itself: a knob that needs a config is refused by the settings of another workload.
void apply_knobs(const tui::CommandLine& line) {
  for (const WorkloadEntry& entry : workloads()) {
    Settings settings = default_config(entry.kind).settings;
    (void)accepted([&] {
      for (const tui::KnobFlag& flag : line.knobs) flag.apply(settings);
      validate(settings);
    });
    expect(settings.workload == entry.kind, "a knob does not change the workload");
  }
  if (line.sweep) (void)accepted([&] { sweep_of(*line.sweep->first, line.sweep->second); });
}

}  // namespace

PIPETOP_FUZZ_TARGET(command_line) {
  const auto arguments = split(fuzz::text_of(data, size), '\n');
  std::optional<tui::CommandLine> line;
  try {
    line = tui::parse_command_line(arguments);
  } catch (const Error& e) {
    expect(e.exit() == Exit::usage, "a mistake is one of usage");
    expect(std::string_view(e.what()).find('\n') == std::string_view::npos, "it is one line");
  }
  if (!line) return;
  expect(line->format != nullptr, "there is a format");
  apply_knobs(*line);
}
