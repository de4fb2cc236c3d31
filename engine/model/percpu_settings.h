// The knobs of workers that insert tc actions.
#pragma once

#include <cstdint>

namespace pipetop {

enum class Profile : uint8_t {
  mirred,  // redirect to a device
  gact,    // drop
};

// For workers that insert tc actions with or without per-CPU counters.
struct PercpuSettings {
  uint32_t workers = 1;
  Profile profile = Profile::mirred;
  bool no_percpu = false;
  uint32_t rules = 30'000;  // per worker, then all are removed again
  uint32_t batch = 1;       // rules per call

  bool operator==(const PercpuSettings&) const = default;
};

}  // namespace pipetop
