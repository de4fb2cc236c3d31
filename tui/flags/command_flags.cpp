#include "tui/flags/command_flags.h"

#include <limits>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "tui/flags/flag_values.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kMinIntervalNs = 100'000'000;

void add_rungs(const FlagSet& flags, std::vector<std::string>& rungs) {
  flags.add({"--rungs", "NAME,...",
             "presets to measure, compared with the first (default: the article's seven)"},
            [&rungs](const std::string& text) { rungs = split(text, ','); });
}

void add_seed(const FlagSet& flags, std::optional<uint32_t>& seed) {
  flags.add({"--seed", "N", "random seed of the rounds' orders (default: a new one each time)"},
            [&seed](const std::string& text) {
              seed = number_of("--seed", text, 0, std::numeric_limits<uint32_t>::max());
            });
}

// With less there is no time for two trials per candidate.
constexpr uint64_t kLeastBudgetNs = 2'000'000'000;

}  // namespace

void add_run_flags(const FlagSet& flags, CommandLine& line) {
  flags.add(
      {"--duration", "TIME", "measure for this long (default 5s; 2s each for several values)"},
      [&line](const std::string& text) {
        line.run.duration_ns = duration_of("--duration", text, 1);
      });
  add_bytes(flags, "--bytes,--bytes_to_pipe", line.run.bytes,
            "measure until this much was read instead");
  add_time(flags, "--warmup", line.run.warmup_ns, 0, "warm-up, not measured (default 300ms)");
  add_time(flags, "--interval", line.run.interval_ns, kMinIntervalNs,
           "print the rate this often (default 1s)");
  add_number(flags, "--rounds", line.run.rounds, 1, kMaxRounds,
             "rounds when several values are compared (default 3)");
  add_format(flags, line, Holds::runs);
  flags.add({"--csv", "", "--format csv"},
            [&line](const std::string&) { line.format = &find_format("csv"); });
  flags.add({"--output", "FILE", "write to FILE instead of stdout"},
            [&line](const std::string& path) { line.run.output = path; });
  flags.add({"--verbose", "", "accepted for the article's scripts; no effect"},
            [](const std::string&) {});
  flags.exclude("--duration", "--bytes");
}

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

void add_tune_flags(const FlagSet& flags, CommandLine& line) {
  add_time(flags, "--budget", line.tune.budget_ns, kLeastBudgetNs,
           "search for this long (default 60s)");
  add_file(flags, "--write", line.tune.write, "write a config file that starts with the winner");
  add_format(flags, line);
  add_number(flags, "--seed", line.tune.seed, 0, std::numeric_limits<uint32_t>::max(),
             "random seed (default 1)");
  flags.add_switch("--allow-raise-pipe-max",
                   "raise fs.pipe-max-size during the search, to try larger rings",
                   line.tune.may_raise_pipe_max);
  flags.check_at_end([&line] {
    if (line.tune.write == "-")
      throw Error("--write and the result would both go to stdout: give a file");
  });
}

void add_limits_flags(const FlagSet& flags, CommandLine& line) {
  add_number(flags, "--rounds", line.limits_rounds, 1, kMaxRounds,
             "rounds of about a second over all steps (default 9)");
  add_format(flags, line);
}

void add_doctor_flags(const FlagSet& flags, CommandLine& line) {
  add_format(flags, line);
  flags.add_switch("--overhead",
                   "measure the cost of the observers, on the top rung and a blocking one",
                   line.overhead);
  add_number(flags, "--rounds", line.overhead_rounds, 1, kMaxRounds,
             "rounds of --overhead (default 15)");
}

void add_presets_flags(const FlagSet& flags, CommandLine& line) { add_format(flags, line); }

void add_help_flags(const FlagSet& flags, CommandLine& line) {
  flags.add({"topic", "TOPIC", "a topic of the manual, or a command"},
            [&line](const std::string& topic) { line.topic = topic; });
}

void add_completion_flags(const FlagSet& flags, CommandLine& line) {
  flags.add({"shell", "bash|zsh|fish", "the shell; to try it: source <(pipetop completion bash)"},
            [&line](const std::string& shell) { line.shell = shell; });
}

}  // namespace pipetop::tui
