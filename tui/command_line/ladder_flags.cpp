#include <limits>

#include "engine/error.h"
#include "tui/command_line/command_flags.h"

namespace pipetop::tui {
namespace {

constexpr uint32_t kMaxRounds = 1000;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> names;
  for (size_t begin = 0;;) {
    const size_t comma = text.find(',', begin);
    names.push_back(text.substr(begin, comma - begin));
    if (comma == text.npos) return names;
    begin = comma + 1;
  }
}

void add_rungs(CLI::App& app, std::vector<std::string>& rungs) {
  app.add_option_function<std::string>(
         "--rungs", [&rungs](const std::string& text) { rungs = split(text); },
         "these presets, the first being what the others are compared with; by default "
         "the article's seven")
      ->type_name("NAME,...")
      ->take_last();
}

void add_seed(CLI::App& app, std::optional<uint32_t>& seed) {
  app.add_option_function<std::string>(
         "--seed",
         [&seed](const std::string& text) {
           seed = number_of("--seed", text, 0, std::numeric_limits<uint32_t>::max());
         },
         "of the rounds' orders, to have them again; another one every time by default")
      ->type_name("N")
      ->take_last();
}

}  // namespace

void add_ladder_flags(CLI::App& app, CommandLine& line) {
  LadderRequest& ladder = line.ladder;
  add_rungs(app, ladder.rungs);
  add_number(app, "--rounds", ladder.rounds, 1, kMaxRounds,
             "measure every rung so many times, 5 by default");
  const CLI::Option* duration = add_time(app, "--duration", ladder.length.duration_ns, 1,
                                         "measure for this long each time, 1s by default");
  const CLI::Option* bytes = add_bytes(app, "--bytes,--bytes_to_pipe", ladder.length.bytes,
                                       "measure until this much was read, instead");
  add_time(app, "--warmup", ladder.length.warmup_ns, 0,
           "leave out the first of each run, 200ms by default");
  add_seed(app, ladder.seed);
  add_file(app, "--csv", ladder.csv, "write a row a run there, - for stdout");
  add_file(app, "--json", ladder.json, "write everything there, - for stdout");
  add_file(app, "--svg", ladder.svg, "draw the chart there, - for stdout");
  app.final_callback([duration, bytes] {
    if (duration->count() > 0 && bytes->count() > 0)
      throw Error("--duration and --bytes exclude each other: give one of them");
  });
}

}  // namespace pipetop::tui
