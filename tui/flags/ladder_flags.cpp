#include <limits>

#include "engine/base/error.h"
#include "tui/flags/command_flags.h"
#include "tui/flags/flag_values.h"

namespace pipetop::tui {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> names;
  for (size_t begin = 0;;) {
    const size_t comma = text.find(',', begin);
    names.push_back(text.substr(begin, comma - begin));
    if (comma == text.npos) return names;
    begin = comma + 1;
  }
}

void add_rungs(const FlagSet& flags, std::vector<std::string>& rungs) {
  flags.add({"--rungs", "NAME,...",
             "presets to measure, compared with the first (default: the article's seven)"},
            [&rungs](const std::string& text) { rungs = split(text); });
}

void add_seed(const FlagSet& flags, std::optional<uint32_t>& seed) {
  flags.add({"--seed", "N", "random seed of the rounds' orders (default: a new one each time)"},
            [&seed](const std::string& text) {
              seed = number_of("--seed", text, 0, std::numeric_limits<uint32_t>::max());
            });
}

}  // namespace

void add_ladder_flags(const FlagSet& flags, CommandLine& line) {
  LadderRequest& ladder = line.ladder;
  add_rungs(flags, ladder.rungs);
  add_number(flags, "--rounds", ladder.rounds, 1, kMaxRounds,
             "measure every rung this often (default 5)");
  add_time(flags, "--duration", ladder.length.duration_ns, 1,
           "measure for this long each time (default 1s)");
  add_bytes(flags, "--bytes,--bytes_to_pipe", ladder.length.bytes,
            "measure until this much was read instead");
  add_time(flags, "--warmup", ladder.length.warmup_ns, 0,
           "warm-up of each run, not measured (default 200ms)");
  add_seed(flags, ladder.seed);
  add_file(flags, "--csv", ladder.csv, "write one row per run to FILE, - for stdout");
  add_file(flags, "--json", ladder.json, "write everything to FILE, - for stdout");
  add_file(flags, "--svg", ladder.svg, "draw the chart to FILE, - for stdout");
  flags.exclude("--duration", "--bytes");
}

}  // namespace pipetop::tui
