#include "tui/command_line/run_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "tui/command_line/folded_file.h"
#include "tui/command_line/measurement.h"
#include "tui/command_line/output.h"
#include "tui/command_line/progress_line.h"
#include "tui/command_line/require_vmsplice.h"
#include "tui/command_line/segment_file.h"
#include "tui/command_line/start.h"
#include "tui/command_line/sweep_command.h"
#include "tui/command_line/words.h"
#include "tui/print/print_csv.h"
#include "tui/print/print_human.h"
#include "tui/print/print_json.h"
#include "engine/registry/terms.h"

namespace pipetop::tui {
namespace {

std::string progress_text(const RunRequest& request, const RunResult& so_far) {
  const Unit& unit = unit_of(so_far.end.requested);
  const std::string goal =
      request.bytes != 0
          ? fmt::format("{:.0f} % of {} {}", 100 * double(so_far.bytes()) / double(request.bytes),
                        request.bytes, unit.things)
          : fmt::format("{:.1f} of {:.1f} s", double(so_far.duration_ns()) / 1e9,
                        double(duration_of(request)) / 1e9);
  const Reading<double>& rate = so_far.end.throughput.over_1s;
  return rate.has_value() ? fmt::format("{}  {:.2f} {}", goal, *rate, unit.rate) : goal;
}

// Each would be useless with the other in between.
void check_outputs(const CommandLine& line) {
  const std::string output = line.run.output.empty() ? "-" : line.run.output;
  for (const auto& [flag, path] :
       {std::pair{"--folded", line.folded}, {"--segments", line.segments}})
    if (path == output)
      throw Error(fmt::format("{} and the result would both go to {}: give --output FILE", flag,
                              output == "-" ? "stdout" : output));
  if (!line.folded.empty() && line.folded == line.segments)
    throw Error(fmt::format("--folded and --segments would both go to {}", line.folded));
}

std::string interval_text(Format format, const Interval& interval) {
  if (format == Format::human) return print_human(interval);
  if (format == Format::jsonl) return print_jsonl(interval);
  return {};
}

std::string result_text(Format format, const RunResult& result) {
  switch (format) {
    case Format::human:
      return "\n" + print_human(result);
    case Format::json:
      return print_json(result);
    case Format::jsonl:
      return print_jsonl(result);
    case Format::csv:
      break;
  }
  return csv_header() + csv_row(result);
}

// The summary for people shows them already.
void say_mismatches(const RunResult& result, Format format) {
  if (format == Format::human) return;
  for (const Mismatch& m : result.end.effective.mismatches)
    say(fmt::format("{}: {} requested, {} effective: {}", m.knob, m.requested, m.effective,
                    m.reason));
}

int exit_code(const RunResult& result, Format format) {
  say_mismatches(result, format);
  const Judgement judgement = judge(result);
  for (const std::string& words : judgement.words) say(words);
  if (result.ended_by_signal != 0) return kSignalExit + result.ended_by_signal;
  return static_cast<int>(judgement.exit);
}

}  // namespace

int run_command(const CommandLine& line) {
  const Config config = read_start(line);
  if (const auto plan = sweep_plan(line, config)) return sweep_command(line, config, *plan);
  require_vmsplice(config.settings, "give --write_with write");
  check_outputs(line);
  Output output(line.run.output);
  FoldedFile folded(line.folded);
  SegmentFile segments(line.segments, config.settings);
  ProgressLine progress(line.format != Format::human || !output.is_terminal());
  RunListener listener;
  listener.interval = [&](const Interval& i) { output.write(interval_text(line.format, i)); };
  listener.progress = [&](const RunResult& so_far) {
    folded.check(so_far.end);
    progress.show(progress_text(line.run, so_far));
  };
  listener.words = [&](const std::string& words) {
    progress.clear();
    say(words);
  };
  listener.began = [&](const Snapshot& now) { segments.write_closed(now); };
  listener.ended = [&](const Segment& last) { segments.write_last(last); };
  Measurement measurement(config, line.run, listener);
  std::optional<RunResult> result = measurement.run();
  progress.clear();
  if (!result) {
    say("ended before there was anything to measure");
    segments.finish();
    return kSignalExit + measurement.ended_by_signal();
  }
  result->name = name_of(config);
  output.write(result_text(line.format, *result));
  output.finish();
  folded.write(result->end.requested, {result->end.worker(Role::writer).functions,
                                       result->end.worker(Role::reader).functions});
  segments.finish();
  return exit_code(*result, line.format);
}

}  // namespace pipetop::tui
