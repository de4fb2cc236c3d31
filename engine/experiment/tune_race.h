// The race: candidates are measured in rounds, each against a reference that is
// measured right before and after it, because the machine drifts by more than what
// is looked for; only such ratios are ever compared.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine/base/reading.h"
#include "engine/experiment/trial.h"
#include "engine/model/settings.h"

namespace pipetop {

// What a trial came to.
struct Measured {
  Reading<double> gib_per_s;  // unavailable: it cannot be had; warming: cut short
  std::string mismatch;       // why these are not quite the settings; "" if they are
};

using GoOn = std::function<bool()>;

struct RaceHooks {
  std::function<Measured(const Settings&, const TrialLength&)> measure;
  std::function<uint64_t()> now_ns;
  GoOn go_on;                      // false: end now
  std::function<void()> measured;  // told after every trial
};

// Trials on a live engine, until it is interrupted. Settings that are refused are told,
// not thrown; measure() throws Error when a worker fails.
RaceHooks live_trials(Session& session);

// Settings and what is known of them. One figure of each list a trial.
struct Contender {
  Settings settings;
  std::vector<double> gib_per_s;
  std::vector<double> ratios;  // over the reference, around the trial
  int refusals = 0;
  std::string refusal;  // the last one's reason

  // Twice: a huge page may be missing for a moment.
  bool is_out() const { return refusals >= 2; }
  // One trial is never trusted.
  bool is_known() const { return !is_out() && ratios.size() >= 2; }
  double score() const;  // the middle of the ratios
};

class Race {
 public:
  Race(Settings reference, RaceHooks hooks, uint64_t seed);

  // The one with these settings, which stays where it is.
  Contender& enter(const Settings& settings);
  const std::deque<Contender>& contenders() const { return contenders_; }
  std::mt19937_64& random() { return random_; }
  uint64_t now_ns() const { return hooks_.now_ns(); }
  size_t trials() const { return trials_; }

  // One trial of each, in shuffled order. False when not all came to theirs, because
  // it would have ended after `deadline_ns`, or somebody asked for the end. Throws Error
  // when not even the reference can be had.
  bool round(std::vector<Contender*> field, const TrialLength& length, uint64_t deadline_ns);

  // One trial of each and of the reference, in shuffled order: the rates in the order of
  // `field`, the reference's last. Nothing when one of them could not be measured.
  std::optional<std::vector<double>> heat(const std::vector<Contender*>& field,
                                          const TrialLength& length, uint64_t deadline_ns);

  bool has_time(size_t trials, const TrialLength& length, uint64_t deadline_ns) const;
  // Of one trial: its length, and the settling that is usual of late.
  uint64_t cost_ns(const TrialLength& length) const;

 private:
  Measured measure(const Settings& settings, const TrialLength& length);
  std::optional<double> rate_of(Contender& contender, const TrialLength& length);
  std::optional<double> reference_rate(const TrialLength& length, uint64_t deadline_ns);
  double reference_around(double& before, const TrialLength& length, uint64_t deadline_ns);
  bool block(std::span<Contender* const> block, double& reference, const TrialLength& length,
             uint64_t deadline_ns);

  Settings reference_;
  RaceHooks hooks_;
  std::mt19937_64 random_;
  std::deque<Contender> contenders_;
  double settling_ns_;
  size_t trials_ = 0;
};

// Those of `field` that are known, the best first, at most `count` of them.
std::vector<Contender*> best_of(std::vector<Contender*> field, size_t count);

}  // namespace pipetop
