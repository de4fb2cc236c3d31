// Whether something else than the settings sets the pace: other programs, or the host.
#pragma once

#include <string>

#include "engine/model/snapshot.h"

namespace pipetop {

// What disturbs the measurement, with the numbers that show it; "" if nothing does, or if it is not
// known. The rules are at the top of noise.cpp.
std::string noise_in(const Snapshot& s);

}  // namespace pipetop
