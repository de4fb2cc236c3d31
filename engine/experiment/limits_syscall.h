// What it costs to enter the kernel and to leave it.
#pragma once

#include <memory>

#include "engine/experiment/limits_step.h"

namespace pipetop {

// ns of a call that does nothing.
std::unique_ptr<LimitsStep> empty_syscall_step();

}  // namespace pipetop
