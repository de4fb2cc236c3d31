// One measurement of some settings: settle, warm up, measure. The grain of every
// command that measures.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/experiment/session.h"

namespace pipetop {

struct Trial {
  Settings settings;            // as asked
  Snapshot begin;               // when the measurement began
  Snapshot end;                 // when it ended, with everything still flowing
  Segment segment;              // all of it, with what was observed
  Reading<double> steal_share;  // of all CPUs' time in between
  bool cut_short = false;       // somebody asked for the end

  // Or whatever the workload counts.
  uint64_t items() const { return end.throughput.total_items - begin.throughput.total_items; }
  uint64_t duration_ns() const { return end.now_ns - begin.now_ns; }
  double rate() const;  // the mean, in the workload's unit
};

struct TrialLength {
  uint64_t warmup_ns = 200'000'000;
  uint64_t duration_ns = 1'000'000'000;
  uint64_t bytes = 0;  // instead of the duration, when not 0
};

// What is told while it goes on; each may be empty.
struct TrialListener {
  std::function<void()> waiting;               // some ten times a second, in every phase
  std::function<void(const Snapshot&)> began;  // the measurement, after a suspension anew
  std::function<void(const Trial& so_far, bool last)> ticked;
  std::function<void(const std::string&)> warned;
};

// Measures what the engine is set to. Where it ends before there is anything to tell,
// begin and end are of no time. It ends early when a worker fails or keeps dying. Throws
// Error when the settings cannot be had.
Trial measure(Session& session, const TrialLength& length, const TrialListener& listener = {});

// Sets the engine to `settings` first. Throws Error when a worker fails, too.
Trial run_trial(Session& session, const Settings& settings, const TrialLength& length,
                const TrialListener& listener = {});

// Throws Error, as run_trial() does, when `s` tells that nothing can be measured.
void check_possible(const Snapshot& s);

}  // namespace pipetop
