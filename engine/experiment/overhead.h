// What watching costs what is watched: the observers are switched off and on while
// the same two workers go on, because two runs of a pipe differ by far more than
// the observers can cost.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/experiment/interrupts.h"

namespace pipetop {

struct OverheadOptions {
  EngineOptions engine;
  int rounds = 15;
  uint64_t phase_ns = 400'000'000;  // of each of a round's three phases
};

// GiB/s, one after the other.
struct OverheadRound {
  double off = 0;     // nobody watches
  double timers = 0;  // only the sampler's timer interrupts, without a program
  double on = 0;      // everything, as in the dashboard
};

struct Overhead {
  uint32_t frequency_hz = 0;
  std::vector<OverheadRound> rounds;

  // Of each round, over its `off`.
  std::vector<double> ratios(double OverheadRound::*phase) const;
};

// Blocks for rounds x 3 phases, or until it is interrupted: then it has the rounds that
// are complete. Throws Error when there can be no pipe, or no observers to measure.
// `progress` is told the number of rounds done.
Overhead measure_overhead(const OverheadOptions& options, Interrupts& interrupts,
                          const std::function<void(int done)>& progress);

}  // namespace pipetop
