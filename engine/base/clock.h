#pragma once

#include <time.h>

#include <cstdint>

namespace pipetop {

// In nanoseconds.
inline constexpr uint64_t kMs = 1'000'000;
inline constexpr uint64_t kSecond = 1'000 * kMs;

// CLOCK_MONOTONIC, like BPF's bpf_ktime_get_ns().
inline uint64_t monotonic_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace pipetop
