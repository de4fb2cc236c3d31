// The race: candidates are measured in rounds, each against a reference that is
// measured right before and after it, because the machine drifts by more than the
// differences of interest. Only these ratios are compared. Also the moves of single knobs that are
// raced: around a good candidate, and around the winner for the effect of each knob.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/reading.h"
#include "engine/experiment/trial.h"
#include "engine/experiment/tune_space.h"
#include "engine/meter/statistics.h"
#include "engine/model/settings.h"

namespace pipetop {

// The result of a trial.
struct Measured {
  Reading<double> gib_per_s;  // unavailable: refused; warming: cut short
  std::string mismatch;       // how these differ from the settings; "" if they do not
};

using GoOn = std::function<bool()>;

struct RaceHooks {
  std::function<Measured(const Settings&, const TrialLength&)> measure;
  std::function<uint64_t()> now_ns;
  GoOn go_on;                      // false: end now
  std::function<void()> measured;  // called after every trial
};

// Trials on a live engine, until interrupted. Refused settings are reported, not thrown; measure()
// throws Error if a worker fails.
RaceHooks live_trials(Session& session);

// Settings and their results. Each list has one figure per trial.
struct Contender {
  Settings settings;
  std::vector<double> gib_per_s;
  std::vector<double> ratios;  // over the reference, around the trial
  int refusals = 0;
  std::string refusal;  // reason of the last refusal

  // Twice, because a huge page may be missing temporarily.
  bool is_out() const { return refusals >= 2; }
  // A single trial is never trusted.
  bool is_known() const { return !is_out() && ratios.size() >= 2; }
  double score() const { return middle_ratio(ratios); }  // the median of the ratios
};

class Race {
 public:
  Race(Settings reference, RaceHooks hooks, uint64_t seed);

  // The candidate with these settings; the reference stays valid.
  Contender& enter(const Settings& settings);
  const std::deque<Contender>& contenders() const { return contenders_; }
  std::mt19937_64& random() { return random_; }
  uint64_t now_ns() const { return hooks_.now_ns(); }
  size_t trials() const { return trials_; }

  // One trial of each, in shuffled order. False when not all came to theirs, because
  // it would have ended after `deadline_ns`, or it was asked to stop. Throws Error when not even
  // the reference can be had.
  bool round(std::vector<Contender*> field, const TrialLength& length, uint64_t deadline_ns);

  // One trial of each and of the reference, in shuffled order. Returns the rates in the order of
  // `field`, the reference's last; nothing if one of them could not be measured.
  std::optional<std::vector<double>> heat(const std::vector<Contender*>& field,
                                          const TrialLength& length, uint64_t deadline_ns);

  bool has_time(size_t trials, const TrialLength& length, uint64_t deadline_ns) const;
  // The time of one trial: its length, and the recent average settling time.
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

// The measured candidates of `field`, best first, at most `count`.
std::vector<Contender*> best_of(std::vector<Contender*> field, size_t count);

// From a good candidate to the best one near it, by moves of single knobs.
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
