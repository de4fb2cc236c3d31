// Whether something else than the settings sets the pace: other programs, or the host.
#pragma once

#include <string>

#include "engine/model/snapshot.h"

namespace pipetop {

// From the wakeup until it runs: 2 us, up to 10 us in a virtual machine.
inline constexpr double kWakeup_ns = 10'000;

// What disturbs the measurement, with the numbers that show it; "" if nothing does, or if it is not
// known. The rules are at the top of noise.cpp.
std::string noise_in(const Snapshot& s);

}  // namespace pipetop
