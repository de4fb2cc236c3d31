// The two workers of a pipe: the engine's command to them, their report, their main functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "engine/model/control_block.h"
#include "engine/model/settings.h"

namespace pipetop {

inline constexpr uint64_t kFirstEpoch = 1;

// Each role reads its own fields. Without padding, because commands are compared as words.
struct PipeCommand {
  uint8_t technique = 0;  // WriteWith or ReadWith
  Wait wait = Wait::block;
  Pages pages = Pages::k4;
  Buffers buffers = Buffers::separate;
  Payload payload = Payload::constant;
  bool gift = false;
  bool touch_pages = true;
  bool lock_memory = false;
  uint64_t buf_bytes = 0;
  uint64_t ring_bytes = 0;  // upper bound of what the pipe can hold
  uint64_t epoch = 0;       // a new epoch restarts the count of stamps
  // For slow motion, the ring's size in bytes; 0: full speed.
  uint64_t slow_ring_bytes = 0;
  uint64_t single_step = 0;  // in slow motion: 1 if each operation waits for a permit
};
static_assert(std::has_unique_object_representations_v<PipeCommand>);

// What was granted.
struct PipeReport {
  Pages pages = Pages::k4;          // that the buffers were mapped with
  int pages_error = 0;              // errno if `pages` is less than requested
  int lock_error = 0;               // errno when lock_memory was refused
  uint64_t buffer_bytes = 0;        // of each buffer
  uint64_t buffer_address[2] = {};  // in the worker's address space; 0 if none
  uint64_t call_bytes = 0;          // the most requested per call; 0: buf_bytes
};

// Each runs until it is told to quit, and returns the exit status.
int run_writer(ControlBlock& block, int pipe_fd);
int run_reader(ControlBlock& block, int pipe_fd);

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
