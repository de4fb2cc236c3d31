// Moves of single knobs: from a good candidate to the best one near it, and the effect of each knob
// around the winner.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/experiment/tune_race.h"
#include "engine/experiment/tune_space.h"

namespace pipetop {

class TuneRefinement {
 public:
  using Field = std::vector<Contender*>;

  // `brief` is the trial length for many candidates, `thorough` for few.
  TuneRefinement(const TuneSpace& space, Race& race, TrialLength brief, TrialLength thorough)
      : space_(space), race_(race), brief_(brief), thorough_(thorough) {}

  // Measures the moves around `field`'s first together with the field. Returns the field and those
  // that came out ahead, in no particular order.
  Field step(const Field& field, uint64_t deadline_ns);

 private:
  Field moves_around(const Contender& leader);
  void sift(Field& field, const Contender& leader, uint64_t deadline_ns);
  void learn(const Contender& leader);
  Settings combined(const Contender& leader);

  const TuneSpace& space_;
  Race& race_;
  TrialLength brief_, thorough_;
  std::map<std::pair<std::string, std::string>, double> worth_;  // of a knob's value, at its best
};

// The effect of one other value of one knob on the winner.
struct KnobEffect {
  std::string knob, value;
  double change = 0;      // of the rate: -0.25 is a quarter slower
  Reading<double> error;  // two standard errors of the change
  size_t trials = 0;
};

// The moves that were measured more than once, largest effect first.
std::vector<KnobEffect> knob_effects(Race& race, std::span<const TuneMove> moves,
                                     const Contender& winner);

}  // namespace pipetop
