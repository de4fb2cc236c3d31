// Counters that the engine reads have one writer, so adding needs no locked instruction.
#pragma once

#include <atomic>
#include <cstdint>

namespace pipetop {

inline void set(uint64_t& counter, uint64_t n) {
  std::atomic_ref<uint64_t>(counter).store(n, std::memory_order_relaxed);
}
inline void add(uint64_t& counter, uint64_t n) { set(counter, counter + n); }

}  // namespace pipetop
