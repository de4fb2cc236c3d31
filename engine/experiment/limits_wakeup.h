// What it takes to wake the process at the other end of a pipe.
#pragma once

#include <memory>

#include "engine/experiment/limits_step.h"

namespace pipetop {

// ns from a write until the sleeper at the other end, a process of its own on
// `partner_cpu`, has returned from its read: half of a round trip of one byte over two
// pipes. Throws Error when there can be no such process.
std::unique_ptr<LimitsStep> wakeup_step(int partner_cpu);

}  // namespace pipetop
