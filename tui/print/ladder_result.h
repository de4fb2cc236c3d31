// A ladder as printers need it: what was measured, and how it was asked for.
#pragma once

#include <string>

#include "engine/experiment/ladder_report.h"

namespace pipetop::tui {

struct LadderResult {
  LadderReport report;
  std::string knobs;  // the flags that change every rung, "--pipe_size 1MiB"; "" for none
  int ended_by_signal = 0;

  const LadderOptions& options() const { return report.ladder.options; }
  // Null when nothing was measured.
  const HostInfo* host() const {
    const auto& runs = report.ladder.runs;
    return runs.empty() ? nullptr : runs.back().trial.end.host.get();
  }
};

}  // namespace pipetop::tui
