// The flags of the commands for the pipes of other programs.
#include <fmt/core.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "tui/flags/flags.h"

namespace pipetop::tui {
namespace {

using namespace std::string_view_literals;

// What has no meaning beside a command to start.
void check_command(const CLI::App& app, const WatchRequest& watch) {
  if (!watch.target.empty())
    throw Error(
        fmt::format("{} and a command to start are two things to watch: give one", watch.target));
  for (const char* flag : {"--once", "--duration"})
    if (app.count(flag) > 0)
      throw Error(fmt::format("{}: a command is watched until it ends: remove it", flag));
  if (watch.output == "-") throw Error("--output: stdout is the command's: give a file");
}

void check_watch(const CLI::App& app, const CommandLine& line) {
  const WatchRequest& watch = line.watch;
  // Of $(pgrep ...) that found nothing.
  if (watch.target.empty() && app.count("target") > 0)
    throw Error("\"\" is no pipe: give a PID, PID:FD or a FIFO, or nothing for all pipes");
  if (watch.put_back && (!watch.target.empty() || !watch.command.empty() || watch.headless))
    throw Error("--put-back looks at no pipe: give nothing else");
  if (!watch.command.empty()) check_command(app, watch);
  if (watch.quiet && watch.command.empty())
    throw Error("--quiet is for a command to start: pipetop watch --quiet -- COMMAND");
  if (watch.exact && watch.target.empty() && watch.command.empty())
    throw Error("--exact counts in one pipeline: give a PID, PID:FD, a FIFO or -- COMMAND");
  for (const char* flag : {"--sort", "--filter"})
    if (app.count(flag) > 0 && (!watch.target.empty() || !watch.command.empty()))
      throw Error(fmt::format("{} is for the table of all pipes: give no {}", flag,
                              watch.command.empty() ? watch.target : "command"));
  if (line.format == &find_format("jsonl") && app.count("--once") > 0)
    throw Error("--once is one result, --format jsonl are many: give json, or remove --once");
}

uint64_t whole_size(const std::string& flag, const std::string& text) {
  const uint64_t bytes = parsed(flag, text, parse_size);
  if (bytes == 0) throw Error(fmt::format("{}: \"{}\" is nothing: give 1 or more", flag, text));
  return bytes;
}

constexpr uint32_t kMostWidth = 10'000;

struct PartFlag {
  const char* names;
  bool ProgressParts::*part;
  const char* help;
};
constexpr PartFlag kPartFlags[] = {
    {"-p,--progress", &ProgressParts::bar,
     "show the bar and percent; with -terab only those given"},
    {"-t,--timer", &ProgressParts::timer, "show the time so far; with -n before each number"},
    {"-e,--eta", &ProgressParts::eta, "show how long it will still take"},
    {"-r,--rate", &ProgressParts::rate, "show the rate"},
    {"-a,--average-rate", &ProgressParts::average, "show the rate since the beginning"},
    {"-b,--bytes", &ProgressParts::bytes, "show the bytes so far; with -n in place of percent"},
};

}  // namespace

void add_watch_flags(CLI::App& app, CommandLine& line) {
  WatchRequest& watch = line.watch;
  app.add_option("target", watch.target,
                 "the pipeline of a process, of one of its descriptors, or of a FIFO")
      ->type_name("PID|PID:FD|FIFO");
  app.add_flag_callback(
      "--once", [&watch] { watch.headless = true; }, "print what is seen in --duration, and end");
  add_format(app, line, Holds::intervals);
  add_time(app, "--duration", watch.duration_ns, kMinInterval_ns,
           "print what is seen in this time (default: --interval for all pipes, 2s for one "
           "pipeline; jsonl: until Ctrl-C)");
  add_time(app, "--interval", watch.interval_ns, kMinInterval_ns,
           "look at all pipes this often; print a line of jsonl this often (default 1s, on the "
           "screen 500ms)");
  app.add_flag("--exact", watch.exact,
               "count every byte, as root; all system calls of the machine take 0.2 to 0.3 us "
               "longer");
  add_choice(
      app, "--sort", {pipe_sort_names().begin(), pipe_sort_names().end()},
      [&watch](size_t index) { watch.sort = static_cast<PipeSort>(index); },
      "order of the table (default rate)");
  add_value(
      app, "--filter", "TEXT", [&watch](const std::string& text) { watch.filter = text; },
      "only pipes whose path, or whose processes' names, command lines or pids contain TEXT");
  add_file(app, "--output", watch.output, "write to FILE instead of stdout");
  app.add_flag("--put-back", watch.put_back,
               "put back what a pipetop that has ended left changed in other processes, and end");
  app.add_flag("-q,--quiet", watch.quiet, "no summary after a command, and no notes");
  app.final_callback([&app, &line] {
    const bool starts_one = !line.watch.command.empty();  // its stdout isn't where results go
    for (const char* flag : {"--format", "--duration", "--output"})
      line.watch.headless |= app.count(flag) > 0 && !(starts_one && flag == "--output"sv);
    check_watch(app, line);
  });
}

void add_view_flags(CLI::App& app, CommandLine& line) {
  ViewRequest& view = line.view;
  app.add_option("file", view.file, "what to read instead of stdin")->type_name("FILE");
  const auto take_size = [&view](const std::string& text) {
    view.size = whole_size("--size", text);
  };
  add_value(app, "-s,--size", "SIZE", take_size,
            "this many bytes will come: for percent and ETA (a file tells by itself)");
  app.add_flag("-S,--stop-at-size", view.stop_at_size, "stop after --size bytes");
  const auto take_limit = [&view](const std::string& text) {
    view.rate_limit = whole_size("--rate-limit", text);
  };
  add_value(app, "-L,--rate-limit", "SIZE", take_limit, "at most this many bytes per second");
  app.add_flag("-n,--numeric", view.numeric,
               "a number per line instead of a bar: percent, or bytes if the size is unknown");
  app.add_flag("-q,--quiet", view.quiet, "no progress");
  app.add_flag("-f,--force", view.force, "show progress even if stderr is no terminal");
  app.add_flag("-C,--no-splice", view.no_splice, "never splice, always copy");
  app.add_flag("-v,--verbose", view.verbose,
               "say at the end how the bytes were moved, and why not better");
  add_time(app, "-i,--interval", view.interval_ns, kMinInterval_ns,
           "show progress this often (default 1s)");
  add_value(
      app, "-N,--name", "TEXT", [&view](const std::string& text) { view.name = text; },
      "a name before the progress");
  for (const PartFlag& flag : kPartFlags)
    app.add_flag(flag.names, view.parts.*flag.part, flag.help);
  app.add_flag("-W,--wait", view.wait, "show nothing, and count no time, before the first byte");
  add_time(app, "-D,--delay-start", view.delay_ns, 0, "show nothing before this time has passed");
  const auto take_width = [&view](const std::string& text) {
    view.width = number_of("--width", text, 1, kMostWidth);
  };
  add_value(app, "-w,--width", "N", take_width, "this many columns (default: the terminal's)");
  app.add_flag_callback(
      "-c,--cursor", [] {}, "accepted for pv's scripts; no effect");
  app.final_callback([&view] {
    if (view.stop_at_size && !view.size)
      throw Error("--stop-at-size needs --size: give for example --size 10GiB");
  });
}

}  // namespace pipetop::tui
