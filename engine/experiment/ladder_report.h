// The results of a ladder: how fast each rung is, its speedup over the first, and
// how stable the machine was. Arithmetic only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/reading.h"
#include "engine/experiment/ladder.h"
#include "engine/meter/statistics.h"

namespace pipetop {

// With more of either the result is untrustworthy.
inline constexpr double kMuchDrift = 1.25;  // a factor, up or down

struct LadderRung {
  Reading<Spread> gib_per_s;    // of its runs
  Reading<Spread> times_first;  // relative to the first rung's rate in the same round
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

// A rung that is slower than the previous one.
struct LadderFall {
  size_t rung = 0;
  Spread ratio;      // over the rung before, in the same round
  std::string text;  // a sentence
};

struct LadderReport {
  Ladder ladder;
  std::vector<LadderRung> rungs;  // as in the options
  Reading<LadderDrift> drift;
  Reading<LadderSteal> steal;
  std::vector<LadderFall> falls;
  Reading<bool> monotone;             // no rung fell, and all were compared
  std::vector<std::string> warnings;  // reasons not to trust it, one line each
  Exit exit = Exit::ok;               // that follows from them

  const Preset& preset(size_t rung) const { return ladder.options.rungs[rung]; }
};

LadderReport report(Ladder ladder);

}  // namespace pipetop
