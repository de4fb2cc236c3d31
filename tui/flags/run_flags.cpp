#include "engine/base/error.h"
#include "tui/flags/command_flags.h"
#include "tui/flags/flag_values.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kMinIntervalNs = 100'000'000;

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

}  // namespace pipetop::tui
