// A ladder for the printers: the measurements, how they were requested, and texts for the terminal
// and the chart.
#pragma once

#include <string>
#include <vector>

#include "engine/experiment/ladder.h"

namespace pipetop::tui {

struct LadderResult {
  LadderReport report;
  std::string knobs;  // the flags that change every rung, "--pipe_size 1MiB"; "" for none
  int ended_by_signal = 0;

  const LadderOptions& options() const { return report.ladder.options; }
  // Null if nothing was measured.
  const HostInfo* host() const {
    const auto& runs = report.ladder.runs;
    return runs.empty() ? nullptr : runs.back().trial.end.host.get();
  }

  std::string machine() const;  // see machine_text()
  // "5 rounds of 1s in shuffled order (seed 42), each run after a warm-up of 200ms"
  std::string method() const;
  // Special conditions: "every rung with --pipe_size 1MiB", "ended early, after 12 of 35 runs".
  std::vector<std::string> conditions() const;
  // "busy_loop_huge: pages: thp requested, 4k effective: why; remedy", one per line.
  std::vector<std::string> mismatches() const;
};

}  // namespace pipetop::tui
