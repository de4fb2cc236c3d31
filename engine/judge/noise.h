// Whether something else than the settings sets the pace: other programs, a quota, or the host.
#pragma once

#include <string>
#include <vector>

#include "engine/model/snapshot.h"

namespace pipetop {

// From the wakeup until it runs: 2 us, up to 10 us in a virtual machine.
inline constexpr double kWakeup_ns = 10'000;

// Of the whole of a measurement. Unknown is no noise.
struct Surroundings {
  Reading<Throttling> throttling = {};
  Reading<double> drift = {};              // the rate of the second half, by that of the first
  std::vector<Neighbour> neighbours = {};  // that use CPUs, the busiest first
};

// What disturbs the measurement, with the numbers that show it; "" if nothing does, or if it is not
// known. The rules are at the top of noise.cpp.
std::string noise_in(const Snapshot& s, const Surroundings& around = {});

// The same of many pairs of a writer and a reader, one after the other: others do not matter if
// they leave two of `cpus` to us.
std::string noise_around(const Surroundings& around, int cpus);

}  // namespace pipetop
