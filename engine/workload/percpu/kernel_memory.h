// How much memory the kernel itself uses.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/reading.h"

namespace pipetop::percpu {

// /proc/meminfo covers the whole machine: other programs change these numbers, too.
struct KernelMemory {
  uint64_t percpu_bytes = 0;  // Percpu: pages of the per-CPU allocator, of all CPUs
  uint64_t slab_bytes = 0;    // SUnreclaim: unreclaimable slabs
};

// From the text of /proc/meminfo; unavailable before Linux 5.0, which has no Percpu line.
Reading<KernelMemory> parse_kernel_memory(std::string_view meminfo);

Reading<KernelMemory> read_kernel_memory();

}  // namespace pipetop::percpu
