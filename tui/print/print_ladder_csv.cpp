#include "tui/print/print_csv.h"
#include "tui/print/print_ladder.h"

namespace pipetop::tui {

std::string print_ladder_csv(const LadderResult& result) {
  std::string text = csv_header("round");
  for (const LadderRun& run : result.report.ladder.runs)
    text += csv_row(
        run_result(result.report.preset(run.rung).name, run.trial, result.options().length.bytes),
        std::to_string(run.round));
  return text;
}

}  // namespace pipetop::tui
