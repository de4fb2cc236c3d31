// What workers have counted, as plain values.
#pragma once

#include <cstdint>

#include "engine/model/control_block.h"

namespace pipetop {

// As in WorkerCounters; of one worker, or summed up over several.
struct Counts {
  uint64_t bytes = 0, syscalls = 0, short_calls = 0, eagain = 0, interrupted = 0, polls = 0;
  uint64_t active_ns = 0;

  Counts& operator+=(const Counts& other) {
    bytes += other.bytes;
    syscalls += other.syscalls;
    short_calls += other.short_calls;
    eagain += other.eagain;
    interrupted += other.interrupted;
    polls += other.polls;
    active_ns += other.active_ns;
    return *this;
  }
};

inline Counts read_counts(const WorkerCounters& c) {
  const auto load = [](const std::atomic<uint64_t>& n) {
    return n.load(std::memory_order_relaxed);
  };
  return {load(c.bytes),       load(c.syscalls), load(c.short_calls), load(c.eagain),
          load(c.interrupted), load(c.polls),    load(c.active_ns)};
}

}  // namespace pipetop
