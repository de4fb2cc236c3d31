// A talk without its screen: every scene once, in its order, measured, and compared with what it
// expects. Tells a speaker which scene would fail on this machine, and why.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/reading.h"
#include "engine/config/talk.h"
#include "engine/experiment/trial.h"

namespace pipetop {

struct RehearsalOptions {
  EngineOptions engine;  // its settings are not used
  std::vector<Scene> scenes;
  uint64_t duration_ns = 0;  // that each scene is measured; 0: as its `wait` says
  uint32_t rounds = 1;       // of all scenes
  bool strict = false;       // what a scene asks for and doesn't get makes it fail
};

struct RehearsedScene {
  Scene scene;
  bool is_shown = true;                   // else what it expects is of no interest
  Reading<double> rate;                   // the mean, in its workload's unit
  Reading<double> to_previous, to_first;  // of the scenes with such a rate
  Reading<Verdict> verdict;
  Reading<std::vector<std::string>> functions;  // that were seen, running or waiting
  std::vector<double> rates = {};               // of each round
  uint64_t taken_ns = 0;                        // to enter and to measure it, in all rounds
  std::string shows = {};  // the watched pipeline and its bottleneck; "" if it watches none
  // Sentences: why it would fail, and what else is not as the speaker may think.
  std::vector<std::string> disappoints, hazards;
};

struct Rehearsal {
  std::vector<RehearsedScene> scenes;  // that were measured
  size_t planned = 0;                  // scenes of the talk
  uint32_t rounds = 1;
  int ended_by_signal = 0;
  Reading<double> steal_share;  // of all CPUs' time

  size_t disappointing() const;
};

// Sets the ratios from the rates, and adds the expectations that did not come true.
void judge(std::vector<RehearsedScene>& scenes);

// "ratio_to_previous >= 1.5"
std::string to_text(const Expectation& expectation);

// What is so instead: "ratio_to_previous 1.31, expected >= 1.5"; "" if it came true.
std::string why_not(const Expectation& expectation, const RehearsedScene& scene);

// The functions that it shows, running or waiting.
Reading<std::vector<std::string>> functions_in(const Snapshot& shown);

// `progress` is called about ten times a second, with the scene's index and the round, from 0. A
// scene that cannot be shown fails, and the talk goes on; one that fails in any round fails.
Rehearsal rehearse(const RehearsalOptions& options, Interrupts& interrupts,
                   const std::function<void(size_t scene, uint32_t round)>& progress);

// The result is untrustworthy if a scene fails.
Assessment assess(const Rehearsal& rehearsal);

}  // namespace pipetop
