// The cost of observing: the observers are turned off and on while the same two
// workers keep running, because two runs of a pipe differ by far more than the
// observers cost.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/experiment/trial.h"

namespace pipetop {

struct OverheadOptions {
  EngineOptions engine;
  int rounds = 15;
  // The length of each of a round's three phases; longer if the sampler ticks in slices.
  uint64_t phase_ns = 400'000'000;
};

// GiB/s, one after the other.
struct OverheadRound {
  double off = 0;     // observers off
  double timers = 0;  // only the sampler's timer interrupts, without BPF programs
  double on = 0;      // everything, as in the dashboard
};

struct Overhead {
  SamplingEvent event;
  std::vector<OverheadRound> rounds;

  // For each round, the ratio to its `off`.
  std::vector<double> ratios(double OverheadRound::*phase) const;
};

// Blocks for rounds x 3 phases, or until interrupted: then it has the complete rounds. Throws Error
// if there can be no pipe, or no observers to measure. Calls `progress` with the number of
// completed rounds.
Overhead measure_overhead(const OverheadOptions& options, Interrupts& interrupts,
                          const std::function<void(int done)>& progress);

}  // namespace pipetop
