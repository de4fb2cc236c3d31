#include "tui/command_line/tune_command.h"

#include <optional>
#include <string>

#include "engine/base/error.h"
#include "tui/command_line/output.h"
#include "tui/command_line/start.h"
#include "tui/command_line/tune_session.h"
#include "tui/command_line/words.h"
#include "tui/print/print_tune.h"

namespace pipetop::tui {

int tune_command(const CommandLine& line) {
  const Config config = read_start(line);
  Output output("");
  std::optional<Output> file;  // opened first: a minute's search must not be lost to a typo
  if (!line.tune.write.empty()) file.emplace(line.tune.write);
  const TuneReport report = run_tune(line, config);
  if (file && report.result.winner) {
    file->write(tune_config_yaml(report));
    file->finish();
  }
  output.write(line.format == Format::json ? print_tune_json(report) : print_tune_human(report));
  output.finish();
  const Judgement judgement = judge(report);
  for (const std::string& words : judgement.words) say(words);
  if (report.ended_by_signal != 0) return kSignalExit + report.ended_by_signal;
  return static_cast<int>(judgement.exit);
}

}  // namespace pipetop::tui
