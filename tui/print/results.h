// The results of commands: all that printers and the exit code need, as values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/reading.h"
#include "engine/experiment/ladder.h"
#include "engine/experiment/trial.h"
#include "engine/experiment/tune.h"
#include "engine/model/snapshot.h"
#include "engine/workload/table/workloads.h"

namespace pipetop::tui {

// The result of a headless run.
struct RunResult : Trial {
  std::string name;           // of the preset, or "custom"
  uint64_t bytes_wanted = 0;  // of --bytes; 0 without
  Snapshot last;              // after both workers finished
};

Assessment assess(const RunResult& result);
// If it was too early for one, the reason says what to do.
Reading<Verdict> verdict_of(const RunResult& result);

// Texts for the terminal and the chart.
std::string machine_of(const LadderReport& report);  // see machine_text()
// "5 rounds of 1s in shuffled order (seed 42), each run after a warm-up of 200ms"
std::string method_of(const LadderReport& report);
// Special conditions: "every rung with --pipe_size 1MiB", "ended early, after 12 of 35 runs".
std::vector<std::string> conditions_of(const LadderReport& report);
// "busy_loop_huge: pages: thp requested, 4k effective: why; remedy", one per line.
std::vector<std::string> mismatches_of(const LadderReport& report);

// The result of a search.
struct TuneReport {
  TuneResult result;
  std::string reference_name;   // of the preset
  HostInfo host;                // as it was before
  Reading<double> steal_share;  // of all CPUs' time during the search
  std::string noise;            // what disturbed it, "" if nothing did
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
