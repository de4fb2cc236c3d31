// The ladder: every rung once per round, in a newly shuffled order, on the same two
// workers. Rounds, because the machine's speed drifts; shuffled, because a rung
// must not benefit from the one that ran before it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
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

// The remaining time of an experiment, from the duration of its runs so far.
// Runs of the same kind take about the same time; another kind may take sixty times
// as long to move the same bytes.
class TimeLeft {
 public:
  // `expected_ns` is used for every run until one was timed; 0: unknown.
  TimeLeft(size_t kinds, uint64_t expected_ns) : taken_(kinds), expected_ns_(expected_ns) {}

  void add(size_t kind, uint64_t ns);

  // For the remaining runs, counted by kind.
  Reading<uint64_t> of(std::span<const uint32_t> runs) const;

 private:
  struct Taken {
    uint64_t ns = 0;
    uint32_t runs = 0;
  };
  double mean_ns(const Taken& taken) const { return double(taken.ns) / double(taken.runs); }
  double mean_of_known() const;

  std::vector<Taken> taken_;
  uint64_t expected_ns_;
};

// The order of the rungs in that round; the same for the same seed on every machine.
std::vector<size_t> ladder_order(size_t rungs, uint32_t seed, uint32_t round);

// The observers are off, so that every rung is as fast as possible. Calls `progress` about ten
// times a second. A run that was cut short is left out. Throws Error, with the rung's name, if its
// settings cannot be applied.
Ladder run_ladder(const LadderOptions& options, Interrupts& interrupts,
                  const LadderProgress& progress);

}  // namespace pipetop
