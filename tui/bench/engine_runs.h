// Runs of the engine without a screen.
#pragma once

#include <vector>

#include "engine/engine.h"

namespace pipetop::bench {

enum class Observed { yes, no };

// The median of the 100 ms rates over `seconds`, ticking 20 times a second.
double engine_rate(const Settings& settings, Observed observed, double seconds);

// Milliseconds from apply() to the first byte that moves under the new settings,
// for `changes` random hot keys that keep buffers to 1 MiB.
std::vector<double> change_latencies_ms(const Settings& settings, int changes);

// The same for a worker that sleeps in a system call because the other one
// stands still: from apply() to its acknowledgement.
std::vector<double> asleep_latencies_ms(Role asleep, int changes);

// The CPUs that `settings` lead to.
struct CpuPair {
  int writer, reader;
};
CpuPair cpus_of(const Settings& settings);

}  // namespace pipetop::bench
