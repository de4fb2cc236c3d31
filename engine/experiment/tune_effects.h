// The sensitivity of the winner: what each other value of each knob does to it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/base/reading.h"
#include "engine/experiment/tune_race.h"
#include "engine/experiment/tune_space.h"

namespace pipetop {

// What one other value of one knob does to the winner.
struct KnobEffect {
  std::string knob, value;
  double change = 0;      // of the rate: -0.25 is a quarter less
  Reading<double> error;  // two standard errors of the change
  size_t trials = 0;
};

// Of the moves that have been measured more than once, the largest effect first.
std::vector<KnobEffect> knob_effects(Race& race, std::span<const TuneMove> moves,
                                     const Contender& winner);

}  // namespace pipetop
