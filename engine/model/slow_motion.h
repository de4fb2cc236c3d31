// Slow motion: both workers move little at a time, a few times a second, so that
// slots are seen to fill and drain.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/model/settings.h"

namespace pipetop {

inline constexpr uint64_t kSlowOperations = 16;  // of which a ring is full

// Bytes of one operation: a sixteenth of the ring, but whole pages, and no more
// than the buffers hold.
constexpr uint64_t slow_bytes(uint64_t ring_bytes, uint64_t buf_bytes) {
  const uint64_t pages = std::max<uint64_t>(1, ring_bytes / kSlowOperations / kPageBytes);
  return std::min(buf_bytes, pages * kPageBytes);
}

// The operations that fill a ring.
constexpr uint64_t slow_operations(uint64_t ring_bytes, uint64_t buf_bytes) {
  const uint64_t bytes = slow_bytes(ring_bytes, buf_bytes);
  return (ring_bytes + bytes - 1) / bytes;
}

}  // namespace pipetop
