// A pipe that is made up: what settings give, how much a trial of them scatters, how the
// machine drifts, and a clock that only trials advance.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "engine/experiment/tune_race.h"
#include "engine/experiment/tune_space.h"

namespace pipetop {

struct FakePipe {
  // What the settings would give on a machine that keeps still, GiB/s.
  std::function<double(const Settings&)> truth;
  std::function<double(double seconds)> drift = [](double) { return 1.0; };
  double noise = 0;    // standard deviation of the log of a trial of 100 ms
  double spoiled = 0;  // share of the trials that the host halves
  uint64_t settling_ns = 12'000'000;
  uint64_t now_ns = 1'000'000'000;
  std::mt19937_64 random = std::mt19937_64(7);
  std::vector<Settings> asked = {};  // one a trial

  Measured measure(const Settings& settings, const TrialLength& length);
  RaceHooks hooks(GoOn go_on = [] { return true; });
  double seconds() const { return double(now_ns) / 1e9; }
};

// As many machines have it: the best is a busy loop with a ring of
// 512 KiB and buffers of 1 MiB in huge pages, 1.4 times busy_loop_huge.
double usual_truth(const Settings& settings);

TuneSpace fake_space(uint64_t pipe_max_bytes = 1 << 20, std::function<void(Settings&)> fixed = {});
Settings fake_reference(const TuneSpace& space);  // busy_loop_huge
// By knobs: "wait busy".
Settings with(Settings settings, std::string_view knob, std::string_view value);

}  // namespace pipetop
