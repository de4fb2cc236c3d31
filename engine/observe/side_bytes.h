// What processes at the two sides of a pipe have written and read: the kernel counts it for each
// process, not for each pipe. Where both sides agree it went through the pipe.
#pragma once

#include <vector>

#include "engine/model/pipe_scan.h"

namespace pipetop::observe {

// Of a process, by all its threads, since it began.
struct ProcessBytes {
  ProcessId process;
  uint64_t written = 0, read = 0;
  uint64_t at_ns = 0;  // CLOCK_MONOTONIC
};

// Fills the sides of rings that have them, because they move, or takes them away: a process is not
// in `bytes`, or uses several pipes that move, so that nobody knows which. `bytes` are by process.
// `standing`: rings that stand still get theirs, too, to begin with when they move.
void fill_sides(std::vector<ScannedPipe>& pipes, const std::vector<ProcessBytes>& bytes,
                bool standing = false);

}  // namespace pipetop::observe
