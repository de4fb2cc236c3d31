// One measurement of some settings: settle, warm up, measure. All commands that
// measure are made of these.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/experiment/session.h"

namespace pipetop {

struct Trial {
  Settings settings;            // as asked
  Snapshot begin;               // when the measurement began
  Snapshot end;                 // when it ended, with data still flowing
  Segment segment;              // the whole run, with what was observed
  Reading<double> steal_share;  // of all CPUs' time in between
  bool cut_short = false;       // it was asked to stop

  // Or whatever else the workload counts.
  uint64_t items() const { return end.throughput.total_items - begin.throughput.total_items; }
  uint64_t duration_ns() const { return end.now_ns - begin.now_ns; }
  double rate() const;  // the mean, in the workload's unit
};

struct TrialLength {
  uint64_t warmup_ns = 200'000'000;
  uint64_t duration_ns = 1'000'000'000;
  uint64_t bytes = 0;  // instead of the duration, when not 0
};

// Called during the measurement; each may be empty.
struct TrialListener {
  std::function<void()> waiting;               // about ten times a second, in every phase
  std::function<void(const Snapshot&)> began;  // the measurement, again after a suspension
  std::function<void(const Trial& so_far, bool last)> ticked;
  std::function<void(const std::string&)> warned;
};

// Measures the engine's current settings. If it ends before there is a result, begin and end have
// no time. It ends early if a worker fails or keeps dying. Throws Error if the settings cannot be
// applied.
Trial measure(Session& session, const TrialLength& length, const TrialListener& listener = {});

// Applies `settings` first. Also throws Error if a worker fails.
Trial run_trial(Session& session, const Settings& settings, const TrialLength& length,
                const TrialListener& listener = {});

// Throws Error, like run_trial(), if `s` shows that nothing can be measured.
void check_possible(const Snapshot& s);

}  // namespace pipetop
