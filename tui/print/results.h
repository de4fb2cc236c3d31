// The results of commands: all that printers and the exit code need, as values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/reading.h"
#include "engine/experiment/ladder.h"
#include "engine/experiment/trial.h"
#include "engine/experiment/tune.h"
#include "engine/model/snapshot.h"

namespace pipetop::tui {

// Of a headless run.
struct RunResult : Trial {
  std::string name;           // of the preset, or "custom"
  uint64_t bytes_wanted = 0;  // of --bytes; 0 without
  Snapshot last;              // after both workers finished
};

// The exit code for a result, and messages for the user.
struct Assessment {
  Exit exit = Exit::ok;
  std::vector<std::string> warnings;  // one line each; some without an exit code

  // The first exit code counts: later ones follow from it, or matter less.
  void warn(Exit exit, std::string warning);
  // If the host stole much of the time; `consequence` is "the rate is unreliable".
  void warn_of_steal(const Reading<double>& steal_share, std::string_view consequence);
};
Assessment assess(const RunResult& result);

// The measurements, how they were requested, and texts for the terminal and the chart.
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

// The result of a search.
struct TuneReport {
  TuneResult result;
  std::string reference_name;   // of the preset
  HostInfo host;                // as it was before
  Reading<double> steal_share;  // of all CPUs' time during the search
  uint64_t budget_ns = 0;
  uint64_t seed = 0;
  uint64_t pipe_max_bytes = 0;  // during the search
  std::string raise_refusal;    // why it could not be raised, "" if it was or nobody asked
  int ended_by_signal = 0;

  bool raised() const { return pipe_max_bytes > host.pipe_max_size; }
};

// The winner's name in the config file.
inline constexpr const char* kTunedPreset = "tuned";

// The winner as a preset and as the initial settings, for load_config(). There must be a winner.
std::string tune_config_yaml(const TuneReport& report);

// Untrustworthy if the host stole much time, or if there is no winner.
Assessment assess(const TuneReport& report);

}  // namespace pipetop::tui
