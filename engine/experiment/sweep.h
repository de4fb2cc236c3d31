// One knob at several values, on one live engine: each round goes through all of
// them, so that a drift of the machine meets them alike.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/trial.h"
#include "engine/model/knob.h"

namespace pipetop {

struct SweepPlan {
  const Knob* knob = nullptr;
  std::vector<std::string> values;  // the first is what the others are compared with
};

// "1..4" of a number, or "same,own" of any knob: whether `text` is that.
bool names_several(const Knob& knob, std::string_view text);
// Throws Error: what was given, and what would be right.
SweepPlan sweep_of(const Knob& knob, const std::string& text);
// All values of a choice or a boolean.
SweepPlan sweep_of_values(const Knob& knob);

// One value in one round.
struct SweepRun {
  int round = 0;
  double rate = 0;  // in the workload's unit
  Reading<double> steal_share;
  std::vector<PartView> parts;
};

struct SweepRow {
  std::string value;
  Settings settings;
  std::vector<SweepRun> runs;
  // Of the last run.
  std::vector<Mismatch> mismatches;
  std::vector<Figure> figures;
  std::array<Reading<FunctionTable>, kRoles> functions;  // by Role

  std::vector<double> rates() const;
  // Over those of `first` in the same rounds.
  std::vector<double> times(const SweepRow& first) const;
};

struct Sweep {
  SweepPlan plan;
  std::vector<SweepRow> rows;  // one a value, as planned
  int rounds = 0;              // that were completed
  Reading<SamplingEvent> event;
};

struct SweepOptions {
  EngineOptions engine;  // its settings are those that all runs share
  SweepPlan plan;
  TrialLength length;
  int rounds = 3;
};

// `progress` is told before each run: its value, and how many are done. A round that
// was cut short is left out. Throws Error as run_trial() does.
Sweep run_sweep(const SweepOptions& options, Interrupts& interrupts,
                const std::function<void(const std::string& value, int done, int all)>& progress);

}  // namespace pipetop
