// The engine's command to the two workers of a pipe, and their report.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/model/settings.h"

namespace pipetop {

inline constexpr uint64_t kFirstEpoch = 1;

// Enumerations hold the values of settings.h; each role reads its own fields.
struct PipeCommand {
  uint64_t technique = 0;    // WriteWith or ReadWith
  uint64_t wait = 0;         // Wait
  uint64_t pages = 0;        // Pages
  uint64_t buffers = 0;      // Buffers
  uint64_t payload = 0;      // Payload
  uint64_t gift = 0;         // 0 or 1
  uint64_t touch_pages = 1;  // 0 or 1
  uint64_t lock_memory = 0;  // 0 or 1
  uint64_t buf_bytes = 0;    // bytes
  uint64_t ring_bytes = 0;   // upper bound of what the pipe can hold, bytes
  uint64_t epoch = 0;        // a new epoch restarts the count of stamps
  // For slow motion, the ring's size in bytes; 0: full speed.
  uint64_t slow_ring_bytes = 0;
};

// What was granted.
struct PipeReport {
  uint64_t pages = 0;               // Pages that the buffers were mapped with
  uint64_t pages_error = 0;         // errno if `pages` is less than requested
  uint64_t lock_error = 0;          // errno when lock_memory was refused
  uint64_t buffer_bytes = 0;        // of each buffer
  uint64_t buffer_address[2] = {};  // in the worker's address space; 0 if none
  uint64_t call_bytes = 0;          // the most requested per call; 0: buf_bytes
};

// ---- slow motion: both workers move little at a time, a few times a second ----

inline constexpr uint64_t kSlowOperations = 16;  // that fill a ring

// Bytes per operation: a sixteenth of the ring, but whole pages, and no more than
// the buffers hold.
constexpr uint64_t slow_bytes(uint64_t ring_bytes, uint64_t buf_bytes) {
  const uint64_t pages = std::max<uint64_t>(1, ring_bytes / kSlowOperations / kPageBytes);
  return std::min(buf_bytes, pages * kPageBytes);
}

// The number of operations that fill a ring.
constexpr uint64_t slow_operations(uint64_t ring_bytes, uint64_t buf_bytes) {
  const uint64_t bytes = slow_bytes(ring_bytes, buf_bytes);
  return (ring_bytes + bytes - 1) / bytes;
}

}  // namespace pipetop
