// From a good candidate to the best one near it: moves of single knobs around the leader.
#pragma once

#include <cstdint>
#include <map>
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

}  // namespace pipetop
