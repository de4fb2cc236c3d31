#include "tui/command_line/ladder_command.h"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/experiment/ladder_report.h"
#include "tui/command_line/ladder_files.h"
#include "tui/command_line/ladder_start.h"
#include "tui/command_line/progress_line.h"
#include "tui/command_line/require_vmsplice.h"
#include "tui/command_line/start.h"
#include "tui/command_line/words.h"
#include "tui/draw/numbers.h"
#include "tui/loop/signals.h"

namespace pipetop::tui {
namespace {

std::string progress_text(const LadderStep& step, const LadderOptions& options) {
  std::string text = fmt::format("round {} of {}, run {} of {}: {}", step.round, options.rounds,
                                 step.done + 1, step.all, options.rungs[step.rung].name);
  if (step.left_ns.has_value()) text += "  " + elapsed_text(*step.left_ns) + " left";
  return text;
}

// Climbs, and listens to whoever wants it to end or to wait.
class Watch {
 public:
  explicit Watch(const LadderOptions& options) : options_(options) {}

  Ladder climb() {
    Ladder ladder = pipetop::climb(options_, [this](const LadderStep& step) { return ask(step); });
    progress_.clear();
    return ladder;
  }

  int signal() const { return signal_; }

 private:
  Proceed ask(const LadderStep& step) {
    const int signal = signals_.take();
    if (signal == SIGTSTP) {
      progress_.clear();
      say("suspended: this run begins anew");
      return Proceed::suspend;
    }
    signal_ = signal;
    progress_.show(progress_text(step, options_));
    return signal == 0 ? Proceed::on : Proceed::end;
  }

  const LadderOptions& options_;
  SignalFd signals_{SIGINT, SIGTERM, SIGHUP, SIGTSTP};
  ProgressLine progress_;
  int signal_ = 0;
};

}  // namespace

int ladder_command(const CommandLine& line) {
  const Config config = read_config(line.config);
  const LadderOptions options = ladder_options(line, config);
  for (const Preset& rung : options.rungs)
    require_vmsplice(rung.settings, "give --rungs without it");
  LadderFiles files(line.ladder);
  LadderResult result;
  result.knobs = knobs_typed(line);
  Watch watch(options);  // to the end: no signal interrupts the writing
  result.report = report(watch.climb());
  result.ended_by_signal = watch.signal();
  const LadderReport& found = result.report;
  if (found.ladder.runs.empty()) {
    say("ended before there was anything to tell");
    return kSignalExit + result.ended_by_signal;
  }
  const bool ascii = line.no_unicode || config.unicode == Choice::never;
  files.write(result, ascii ? GlyphSet::ascii : GlyphSet::unicode);
  if (!files.table_is_seen())
    for (const std::string& doubt : found.doubts) say("not to be trusted: " + doubt);
  if (result.ended_by_signal != 0) return kSignalExit + result.ended_by_signal;
  return static_cast<int>(found.exit);
}

}  // namespace pipetop::tui
