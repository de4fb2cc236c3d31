// The ladder: every rung once a round, in an order that is shuffled anew for each,
// on the same two workers. Rounds, because the machine's speed drifts; shuffled,
// because a rung must not profit from which one ran before it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/base/reading.h"
#include "engine/experiment/trial.h"
#include "engine/model/presets.h"

namespace pipetop {

struct LadderOptions {
  std::vector<Preset> rungs;  // the others are compared with the first
  uint32_t rounds = 5;
  TrialLength length;  // of every run
  uint32_t seed = 0;   // of the orders
};

// One measurement of one rung, without the histories of its snapshots.
struct LadderRun {
  size_t rung = 0;
  uint32_t round = 1;
  Trial trial;
};

struct Ladder {
  LadderOptions options;
  std::vector<LadderRun> runs;  // as they were measured; all of them ran to their end

  bool complete() const { return runs.size() == options.rounds * options.rungs.size(); }
};

// Which rung is under way, and how far all of it has come.
struct LadderStep {
  size_t rung = 0;
  uint32_t round = 1;
  uint32_t done = 0, all = 0;  // runs
  Reading<uint64_t> left_ns;
};

using LadderProgress = std::function<void(const LadderStep&)>;

// Indices of the rungs as that round runs them; the same for the same seed, anywhere.
std::vector<size_t> ladder_order(size_t rungs, uint32_t seed, uint32_t round);

// Nobody observes: every rung is as fast as it can be. `progress` is told some ten
// times a second. A run that was cut short is left out. Throws Error, with the rung's
// name, when its settings cannot be had.
Ladder climb(const LadderOptions& options, Interrupts& interrupts, const LadderProgress& progress);

}  // namespace pipetop
