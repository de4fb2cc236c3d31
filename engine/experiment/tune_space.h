// What there is to choose from: the knobs that make a pipe fast or slow, the values
// that they may take here, and the settings at which it is worth to begin.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine/model/settings.h"
#include "engine/registry/knobs.h"
#include "engine/workload/pipe/pipe_plan.h"

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
  Settings base;                         // what is not searched stays as it is here
  std::function<void(Settings&)> fixed;  // sets what the person wants to stay; may be empty
  Capabilities machine;
};

class TuneSpace {
 public:
  explicit TuneSpace(TuneSpaceOptions options);

  std::span<const TuneKnob> knobs() const { return knobs_; }

  // `wanted` as this machine can do it, every size a definite one: settings that
  // come to the same thing are equal.
  Settings as_planned(const Settings& wanted) const;
  // The searched knobs of `of`, all others of the base; nothing fixed.
  Settings searched_knobs_of(const Settings& of) const;

  // At most `count`, distinct: good guesses first, the likeliest ones in front, and
  // for a third of the count a Latin sample of all that there is, in case that none
  // of the guesses fits this machine.
  std::vector<Settings> candidates(size_t count, std::mt19937_64& random) const;

  // Every other value of one knob; of a size the next smaller and the next larger.
  std::vector<TuneMove> moves(const Settings& from) const;
  // Both sizes at once: each depends on the other.
  std::vector<Settings> diagonal_moves(const Settings& from) const;

 private:
  std::vector<Settings> guesses() const;
  Settings sampled(std::span<const std::vector<size_t>> columns, size_t row) const;
  const TuneKnob& tune_knob(std::string_view name) const;

  TuneSpaceOptions options_;
  std::vector<TuneKnob> knobs_;
};

// The first searched knob that is not in force as asked: why, in words; "" if all are.
std::string searched_mismatch(const Settings& asked, const Effective& effective);

}  // namespace pipetop
