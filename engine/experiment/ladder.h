// The ladder: every rung once per round, in a newly shuffled order, on the same two workers, or on
// new ones in each round if their speed depends on the process. Rounds, because the machine's speed
// drifts; shuffled, because a rung must not benefit from the one that ran before it. Its report:
// how fast each rung is, its speedup over the first, and how stable the machine was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/reading.h"
#include "engine/experiment/trial.h"
#include "engine/meter/statistics.h"
#include "engine/model/tables.h"

namespace pipetop {

struct LadderOptions {
  // Observers are off, so that every rung is as fast as possible; its settings are not used.
  EngineOptions engine = {.settings = {}, .bpf = BpfUse::off};
  std::vector<Preset> rungs;  // the first is the reference for the others
  uint32_t rounds = 5;
  TrialLength length;                // of every run
  std::optional<uint32_t> seed = 0;  // of the orders; without, they go there and back again
  std::string knobs;  // the flags that change every rung, "--pipe_size 1MiB"; "" for none
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
  int ended_by_signal = 0;

  bool complete() const { return runs.size() == options.rounds * options.rungs.size(); }
};

// The order of the rungs in that round; the same for the same seed on every machine.
std::vector<size_t> ladder_order(size_t rungs, std::optional<uint32_t> seed, uint32_t round);

// Calls `progress` before each run, and about ten times a second. A run that was cut short is left
// out. Throws Error, with the rung's name, if its settings cannot be applied.
Ladder run_ladder(const LadderOptions& options, Interrupts& interrupts, const StepReport& progress);

// ---- report -----------------------------------------------------------------

// With more drift the result is untrustworthy.
inline constexpr double kMuchDrift = 1.25;  // a factor, up or down

struct LadderRung {
  Reading<Spread> rate;         // of its runs, in the unit of its workload
  Reading<Spread> times_first;  // relative to the first rung's rate in the same round
  RatioInterval over_first;     // of the same ratios
  // Knobs that did not take effect, in any of its runs.
  std::vector<Mismatch> mismatches;
};

// The speed of a round relative to the median round: the geometric mean over the
// rungs of rate / median rate of the rung.
struct RoundPace {
  uint32_t round = 0;
  double ratio = 1;
};

struct LadderDrift {
  std::vector<RoundPace> rounds;  // rounds in which every rung was measured
  RoundPace farthest;             // from 1, by its factor
};

struct LadderSteal {
  double mean = 0;               // share of the time of all runs
  double most = 0;               // of one run
  size_t rung = 0;               // of that run
  uint32_t round = 0;            // of that run
  uint32_t runs = 0, above = 0;  // that it is known of; with more than kMuchSteal
};

// A rung that is slower than the previous one, by more than the noise.
struct LadderFall {
  size_t rung = 0;
  Spread ratio;  // over the rung before, in the same round
  RatioInterval interval;
  std::string text;  // a sentence
};

// Untrustworthy, with the reasons, one line each, if the machine or a worker was not stable.
struct LadderReport : Assessment {
  Ladder ladder;
  std::vector<LadderRung> rungs;  // as in the options
  Reading<LadderDrift> drift;
  Reading<LadderSteal> steal;
  std::vector<LadderFall> falls;
  // Their medians rise; unknown if one that does not was not found to fall either.
  Reading<bool> monotone;
  std::string noise;  // what disturbed some of the runs, and how many; "" if nothing did

  const Preset& preset(size_t rung) const { return ladder.options.rungs[rung]; }
};

LadderReport report(Ladder ladder);

// ---- one knob at several values, while data flows: a ladder with a rung per value ----
//
// Each round measures all of them, there and back again, so that a drift of the machine affects
// them equally.

struct SweepPlan {
  const Knob* knob = nullptr;
  std::vector<std::string> values;  // the first is the reference for the others
};

// Whether `text` is a range such as "1..4", or a list such as "same,own".
bool names_several(const Knob& knob, std::string_view text);
// Throws Error, which says what is wrong and what is expected.
SweepPlan sweep_of(const Knob& knob, const std::string& text);
// All values of a choice or boolean knob.
SweepPlan sweep_of_values(const Knob& knob);

struct Sweep {
  SweepPlan plan;
  LadderReport report;  // a rung per value, "pairs 2"; only of complete rounds

  uint32_t rounds() const { return report.ladder.options.rounds; }
  const Settings& settings(size_t value) const { return report.preset(value).settings; }
};

// `options` without rungs; its engine's settings are those that all runs share. Throws Error as
// run_ladder() does.
Sweep run_sweep(const SweepPlan& plan, LadderOptions options, Interrupts& interrupts,
                const StepReport& progress);

}  // namespace pipetop
