// The search space: the knobs that affect a pipe's speed, the values that they may
// take here, and good settings to start with.
#pragma once

#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine/model/settings.h"
#include "engine/workload/pipe/pipe_plan.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {

// A knob that is searched.
struct TuneKnob {
  const Knob* knob = nullptr;
  std::vector<std::string> values;  // sizes in ascending order
  bool ordered() const { return knob->kind == KnobKind::size; }
};

// Settings that differ from others in one knob.
struct TuneMove {
  std::string knob, value;
  bool ordered = false;
  Settings settings;
};

struct TuneSpaceOptions {
  Settings base;                         // knobs that are not searched keep these values
  std::function<void(Settings&)> fixed;  // sets the knobs that the user wants fixed; may be empty
  Capabilities machine;
};

class TuneSpace {
 public:
  explicit TuneSpace(TuneSpaceOptions options);

  std::span<const TuneKnob> knobs() const { return knobs_; }

  // `wanted` with the fallbacks of this machine and definite sizes, so that
  // equivalent settings compare equal.
  Settings as_planned(const Settings& wanted) const;
  // The searched knobs of `of`, all others of the base; nothing fixed.
  Settings searched_knobs_of(const Settings& of) const;

  // At most `count` distinct settings: good guesses, likeliest first, and for a
  // third of the count a Latin sample of the whole space, in case none of the
  // guesses suits this machine.
  std::vector<Settings> candidates(size_t count, std::mt19937_64& random) const;

  // Every other value of one knob; of a size the next smaller and the next larger.
  std::vector<TuneMove> moves(const Settings& from) const;
  // Both sizes at once: each depends on the other.
  std::vector<Settings> diagonal_moves(const Settings& from) const;

 private:
  std::vector<Settings> guesses() const;

  TuneSpaceOptions options_;
  std::vector<TuneKnob> knobs_;
};

// Why the first searched knob that did not take effect did not; "" if all did.
std::string searched_mismatch(const Settings& asked, const Effective& effective);

}  // namespace pipetop
