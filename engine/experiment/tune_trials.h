// The trials of a search on a live engine: what the race calls to measure.
#pragma once

#include "engine/engine.h"
#include "engine/experiment/trial.h"
#include "engine/experiment/tune_race.h"

namespace pipetop {

class TuneTrials {
 public:
  // `go_on` as for run_trial().
  TuneTrials(Engine& engine, GoOn go_on) : engine_(engine), go_on_(std::move(go_on)) {}

  // Settings that are refused are told, not thrown. Throws Error when a worker fails.
  Measured measure(const Settings& settings, const TrialLength& length);

  // Somebody stopped the workers: the trial that is under way means nothing.
  void spoil() { spoiled_ = true; }

 private:
  Engine& engine_;
  GoOn go_on_;
  bool spoiled_ = false;
};

}  // namespace pipetop
