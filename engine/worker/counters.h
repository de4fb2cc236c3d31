// Counters have one writer, so adding needs no locked instruction.
#pragma once

#include <atomic>
#include <cstdint>

namespace pipetop {

inline void add(std::atomic<uint64_t>& counter, uint64_t n) {
  counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

}  // namespace pipetop
