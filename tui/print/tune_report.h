// The result of a search, and the config file that starts with it.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/reading.h"
#include "engine/experiment/tune.h"
#include "engine/model/snapshot.h"
#include "tui/print/run_result.h"

namespace pipetop::tui {

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
