// One knob at several values, while data flows: a ladder with a rung per value. Each round
// measures all of them, there and back again, so that a drift of the machine affects them equally.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/ladder.h"
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
