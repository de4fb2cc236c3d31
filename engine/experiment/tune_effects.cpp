#include "engine/experiment/tune_effects.h"

#include <algorithm>
#include <cmath>

#include "engine/experiment/tune_statistics.h"

namespace pipetop {
namespace {

// Of the ratio of two middles. The few figures of one alone would not tell how far they
// scatter; those of the winner, who has many, stand in.
Reading<double> error_of(double change, const Contender& one, const Contender& winner) {
  const std::vector<double> groups[] = {one.ratios, winner.ratios};
  const double deviation = pooled_log_deviation(groups);
  if (!std::isfinite(deviation)) return Reading<double>::warming("too few trials to tell");
  const double trials = 1 / (1.0 / double(one.ratios.size()) + 1.0 / double(winner.ratios.size()));
  return Reading<double>::of(2 * deviation / std::sqrt(trials) * (1 + change));
}

}  // namespace

std::vector<KnobEffect> knob_effects(Race& race, std::span<const TuneMove> moves,
                                     const Contender& winner) {
  std::vector<KnobEffect> effects;
  if (!winner.is_known()) return effects;
  for (const TuneMove& move : moves) {
    const Contender& one = race.enter(move.settings);
    if (!one.is_known()) continue;
    const double change = one.score() / winner.score() - 1;
    effects.push_back(
        {move.knob, move.value, change, error_of(change, one, winner), one.ratios.size()});
  }
  std::ranges::stable_sort(effects, std::ranges::greater(),
                           [](const KnobEffect& e) { return std::abs(e.change); });
  return effects;
}

}  // namespace pipetop
