#include <limits>

#include "engine/base/error.h"
#include "tui/flags/command_flags.h"
#include "tui/flags/flag_values.h"

namespace pipetop::tui {
namespace {

// With less there is no time for two trials per candidate.
constexpr uint64_t kLeastBudgetNs = 2'000'000'000;

}  // namespace

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

}  // namespace pipetop::tui
