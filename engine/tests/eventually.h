// How a test waits: for what it wants to see, however long this machine takes to bring
// it about. Nothing is timed: only a hang reaches the bound.
#pragma once

#include <poll.h>

#include <cstdint>

#include "engine/base/clock.h"

namespace pipetop {

// Less than ctest grants a test, so that it can still say what did not come.
inline constexpr uint64_t kPatience_ns = 120'000'000'000;

// How long one window of a measured test waits for a reading to become right: it has another one.
inline constexpr uint64_t kReadingPatience_ns = 45'000'000'000;

// Asks until it is so, with `pause` in between.
template <class Condition, class Pause>
bool eventually(Condition is_so, Pause pause, uint64_t patience_ns = kPatience_ns) {
  const uint64_t end_ns = monotonic_ns() + patience_ns;
  while (!is_so()) {
    if (monotonic_ns() > end_ns) return false;
    pause();
  }
  return true;
}

template <class Condition>
bool eventually(Condition is_so) {
  return eventually(is_so, [] { ::poll(nullptr, 0, 5); });
}

}  // namespace pipetop
