// Stages that wait only for each other.
#pragma once

#include <optional>

#include "engine/judge/bottleneck_words.h"

namespace pipetop {

// Each of them is blocked in a pipe all the time, nobody else could let it go on, and nothing
// moved.
std::optional<Bottleneck> deadlock(const JudgedPipeline& view);

}  // namespace pipetop
