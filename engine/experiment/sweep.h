// One knob at several values, on one live engine. Each round measures all of them,
// so that a drift of the machine affects them equally.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/trial.h"
#include "engine/model/tables.h"

namespace pipetop {

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
  std::vector<SweepRow> rows;  // one per value, as planned
  int rounds = 0;              // that were completed
  Reading<SamplingEvent> event;
};

struct SweepOptions {
  EngineOptions engine;  // its settings are those that all runs share
  SweepPlan plan;
  TrialLength length;
  int rounds = 3;
};

// Calls `progress` before each run, with its value and the number of completed runs. An incomplete
// round is left out. Throws Error as run_trial() does.
Sweep run_sweep(const SweepOptions& options, Interrupts& interrupts,
                const std::function<void(const std::string& value, int done, int all)>& progress);

}  // namespace pipetop
