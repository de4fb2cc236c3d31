// What it costs to copy bytes into a pipe and out of it.
#pragma once

#include <memory>

#include "engine/experiment/limits_step.h"

namespace pipetop {

// The figures of a slice, in GiB/s.
inline constexpr size_t kCopyIn = 0, kCopyOut = 1;

// write and read of so many bytes, by turns in one thread, through a ring that has
// room for them. Throws Error when there is no such ring.
std::unique_ptr<LimitsStep> copy_step(uint64_t buffer_bytes);

}  // namespace pipetop
