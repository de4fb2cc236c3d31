// Moves of single knobs: from a good candidate to the best one near it, and what each
// knob is worth around the winner.
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

  // `brief` is a trial's length where many are tried, `thorough` where few are.
  TuneRefinement(const TuneSpace& space, Race& race, TrialLength brief, TrialLength thorough)
      : space_(space), race_(race), brief_(brief), thorough_(thorough) {}

  // Measures what lies around `field`'s first, beside the field itself. Returns the field
  // and those that came out ahead, in no order.
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
