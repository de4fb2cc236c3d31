// The ladder: every rung once per round, in a newly shuffled order, on the same two
// workers. Rounds, because the machine's speed drifts; shuffled, because a rung
// must not benefit from the one that ran before it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/base/reading.h"
#include "engine/experiment/trial.h"
#include "engine/model/presets.h"

namespace pipetop {

struct LadderOptions {
  std::vector<Preset> rungs;  // the first is the reference for the others
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
  std::vector<LadderRun> runs;  // in the order of measurement; all are complete

  bool complete() const { return runs.size() == options.rounds * options.rungs.size(); }
};

// The current rung, and the overall progress.
struct LadderStep {
  size_t rung = 0;
  uint32_t round = 1;
  uint32_t done = 0, all = 0;  // runs
  Reading<uint64_t> left_ns;
};

using LadderProgress = std::function<void(const LadderStep&)>;

// The order of the rungs in that round; the same for the same seed on every machine.
std::vector<size_t> ladder_order(size_t rungs, uint32_t seed, uint32_t round);

// The observers are off, so that every rung is as fast as possible. Calls `progress` about ten
// times a second. A run that was cut short is left out. Throws Error, with the rung's name, if its
// settings cannot be applied.
Ladder climb(const LadderOptions& options, Interrupts& interrupts, const LadderProgress& progress);

}  // namespace pipetop
