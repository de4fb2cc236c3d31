// One measurement of some settings, on an engine that goes on to the next: change,
// settle, warm up, measure. The grain of every experiment.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/engine.h"

namespace pipetop {

struct Trial {
  Settings settings;            // as asked
  Snapshot begin;               // when the measurement began
  Snapshot end;                 // when it ended, with everything still flowing
  Reading<double> steal_share;  // of all CPUs' time in between
  bool cut_short = false;       // somebody asked for the end

  // Or whatever the workload counts.
  uint64_t bytes() const { return end.throughput.total_bytes - begin.throughput.total_bytes; }
  uint64_t duration_ns() const { return end.now_ns - begin.now_ns; }
  double rate() const;  // the mean, in the workload's unit
};

struct TrialLength {
  uint64_t warmup_ns = 200'000'000;
  uint64_t duration_ns = 1'000'000'000;
  uint64_t bytes = 0;  // instead of the duration, when not 0
};

// Asked some twenty times a second; false: end now, with what there is.
using GoOn = std::function<bool()>;

// Throws Error when the settings cannot be had: buffers refused, a worker that
// fails or keeps dying.
Trial run_trial(Engine& engine, const Settings& settings, const TrialLength& length,
                const GoOn& go_on);

// Throws Error, as run_trial() does, when `s` tells that nothing can be measured.
void check_possible(const Snapshot& s);

}  // namespace pipetop
