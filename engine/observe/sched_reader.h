// Wall time of the two roles by state, and the stacks in which they sleep, counted
// by bpf/sched.bpf.c on every switch.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/reading.h"
#include "engine/model/counts.h"
#include "engine/model/settings.h"

namespace pipetop::observe {

// Where a role slept, and for how long: cumulative totals.
struct Sleeps {
  uint64_t ns = 0;
  uint64_t times = 0;              // how often it went to sleep
  uint64_t lost = 0, lost_ns = 0;  // sleeps whose stack could not be kept

  // By place, see SchedReader::stack(): sleeps of a millisecond or more, and
  // shorter ones. If there are too many short ones, a random sample represents
  // them, so the second is an estimate.
  std::vector<uint64_t> long_ns, short_ns;
};

class SchedReader {
 public:
  // Taking a stack costs 2 us. Throws Error, "why; remedy".
  explicit SchedReader(uint32_t stacks_per_s = 250);
  ~SchedReader();
  SchedReader(const SchedReader&) = delete;
  SchedReader& operator=(const SchedReader&) = delete;

  // Sets the process of a role, which must be single-threaded; 0 for none.
  void watch(Role role, pid_t pid);

  // Stops and starts counting; while stopped, no process is watched.
  void run(bool on);

  // Checks the state of processes that have not switched since they were watched,
  // and measures how often they sleep. To be called a few times per second.
  void poll(uint64_t now_ns);

  // Both continue from one process of a role to the next, and include the current
  // interval. Warming until the state of a new process is known.
  Reading<TaskTimes> times(Role role) const;
  Reading<Sleeps> sleeps(Role role);

  // The addresses of a place, leaf first; none if it is unused.
  std::span<const uint64_t> stack(Role role, size_t place) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop::observe
