// The search for the fastest settings within a time budget: screening of many candidates,
// successive halving, moves of single knobs around the leader, and a final between the best two and
// the reference.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/tune_race.h"
#include "engine/meter/statistics.h"

namespace pipetop {

enum class TunePhase : uint8_t { screen, halve, refine, final, sensitivity };
const char* to_text(TunePhase phase);

struct TuneOptions {
  uint64_t begin_ns = 0;                // by RaceHooks::now_ns; the budget counts from here
  uint64_t budget_ns = 60'000'000'000;  // wall time of all of it
  uint64_t seed = 1;
};

struct TuneProgress {
  TunePhase phase = TunePhase::screen;
  const Contender* leader = nullptr;  // nullptr while there is none
  size_t candidates = 0, trials = 0;
  uint64_t left_ns = 0;
};

// One that ran in the final; its rates are from the final alone, one per heat. Without a final,
// from all its trials.
struct Finalist {
  Settings settings;
  std::vector<double> gib_per_s;
};

struct TuneResult {
  Settings reference;
  std::vector<double> reference_gib_per_s;  // of the final
  std::optional<Finalist> winner, runner_up;
  // For the winner, from pairs of the final. Without a final only against the reference, from the
  // trials that made it the leader, which is biased in its favour.
  PairedComparison against_runner_up, against_reference;
  bool has_final = false;
  std::vector<KnobEffect> effects;  // the largest first

  size_t candidates = 0;              // that were measured at least once
  size_t refused = 0;                 // that are not available here
  std::vector<std::string> refusals;  // why, each reason once, the commonest first
  size_t trials = 0;
  uint64_t spent_ns = 0;
};

// Ends within the budget, or soon after hooks.go_on() returns false, with what is known by then.
// Throws Error if not even the reference can be measured.
TuneResult tune(const TuneSpace& space, const Settings& reference, const TuneOptions& options,
                RaceHooks hooks, const std::function<void(const TuneProgress&)>& progress);

}  // namespace pipetop
