// The progress of a workload or a part of it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace pipetop {

// Items counted, and the time that this took, which is wall time for a stream.
// Neither decreases.
struct Progress {
  uint64_t items = 0;
  uint64_t clock_ns = 0;
};

constexpr Progress operator+(const Progress& a, const Progress& b) {
  return {a.items + b.items, a.clock_ns + b.clock_ns};
}
constexpr Progress operator-(const Progress& a, const Progress& b) {
  return {a.items - b.items, a.clock_ns - b.clock_ns};
}

// The progress of one part.
struct PartProgress {
  std::string name;  // "client 2"
  pid_t pid = 0;     // 0: it has no process at the moment
  Progress progress;
};

}  // namespace pipetop
