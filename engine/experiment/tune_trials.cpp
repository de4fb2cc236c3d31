#include "engine/experiment/tune_trials.h"

#include "engine/base/error.h"
#include "engine/experiment/tune_space.h"

namespace pipetop {

Measured TuneTrials::measure(const Settings& settings, const TrialLength& length) {
  spoiled_ = false;
  try {
    const Trial trial = run_trial(engine_, settings, length, go_on_);
    if (trial.cut_short || spoiled_) return {Reading<double>::warming("cut short"), {}};
    const Effective& effective = trial.end.effective;
    if (!effective.settled)
      return {Reading<double>::unavailable("the settings do not come into force"), {}};
    return {Reading<double>::of(trial.rate()), searched_mismatch(settings, effective)};
  } catch (const Error& e) {
    if (e.exit() != Exit::refused) throw;
    return {Reading<double>::unavailable(e.what()), {}};
  }
}

}  // namespace pipetop
