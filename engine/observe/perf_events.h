// One perf event per CPU: the clocks that drive the sampler.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/mapping.h"
#include "engine/base/unique_fd.h"

namespace pipetop::observe {

enum class PerfClock { cycles, cpu_clock };

struct PerfEvents {
  std::vector<UniqueFd> by_cpu;  // of the online CPUs
  int error_number = 0;          // why it is empty
};

// All CPUs or none: a CPU without samples would be left out silently.
PerfEvents open_perf_events(PerfClock clock, uint32_t hz);

// The highest frequency that the kernel allows.
uint32_t max_sample_hz();

}  // namespace pipetop::observe
// The size of the sampler's buffer, a power of two.
uint32_t sample_buffer_bytes(uint32_t hz, size_t cpus);

