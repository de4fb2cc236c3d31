#include "engine/error.h"
#include "tui/command_line/command_flags.h"

namespace pipetop::tui {
namespace {

constexpr uint32_t kMaxRounds = 1000;
constexpr uint64_t kMinIntervalNs = 100'000'000;

}  // namespace

void add_run_flags(CLI::App& app, CommandLine& line) {
  const CLI::Option* duration =
      app.add_option_function<std::string>(
             "--duration",
             [&line](const std::string& t) {
               line.run.duration_ns = duration_of("--duration", t, 1);
             },
             "measure for this long, 5s by default; 2s for each of several values")
          ->type_name("TIME")
          ->take_last();
  const CLI::Option* bytes = add_bytes(app, "--bytes,--bytes_to_pipe", line.run.bytes,
                                       "measure until this much was read, instead");
  add_time(app, "--warmup", line.run.warmup_ns, 0, "leave out the first, 300ms by default");
  add_time(app, "--interval", line.run.interval_ns, kMinIntervalNs,
           "say the rate this often, 1s by default");
  add_number(app, "--rounds", line.run.rounds, 1, kMaxRounds,
             "how often each value is measured when several are compared, 3 by default");
  add_format(app, line.format, {"human", "json", "jsonl", "csv"});
  app.add_flag_callback(
      "--csv", [&line] { line.format = Format::csv; }, "--format csv");
  app.add_option("--output", line.run.output, "write there instead of to stdout")
      ->type_name("FILE")
      ->take_last();
  app.add_flag_callback(
      "--verbose", [] {}, "accepted for the article's scripts; no effect");
  app.final_callback([duration, bytes] {
    if (duration->count() > 0 && bytes->count() > 0)
      throw Error("--duration and --bytes exclude each other: give one of them");
  });
}

}  // namespace pipetop::tui
