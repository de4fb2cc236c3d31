#pragma once

#include <time.h>

#include <cstdint>

namespace pipetop {

// In nanoseconds.
inline constexpr uint64_t kMs = 1'000'000;
inline constexpr uint64_t kSecond = 1'000 * kMs;

inline uint64_t read_clock(clockid_t id) {
  timespec now = {};
  ::clock_gettime(id, &now);
  return static_cast<uint64_t>(now.tv_sec) * kSecond + static_cast<uint64_t>(now.tv_nsec);
}

// CLOCK_MONOTONIC, like BPF's bpf_ktime_get_ns().
inline uint64_t monotonic_ns() { return read_clock(CLOCK_MONOTONIC); }

}  // namespace pipetop
