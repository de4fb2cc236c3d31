// Wall time of the two roles by state, and the stacks that they sleep in, counted
// by bpf/sched.bpf.c at every switch.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/reading.h"
#include "engine/model/settings.h"
#include "engine/model/task_times.h"

namespace pipetop::observe {

// Where a role slept, and for how long: totals that only grow.
struct Sleeps {
  uint64_t ns = 0;
  uint64_t times = 0;              // that it went to sleep
  uint64_t lost = 0, lost_ns = 0;  // sleeps whose stack could not be kept

  // By place, see SchedReader::stack(): of sleeps from a millisecond on, and of
  // shorter ones. Of more of these than stacks are taken, some chosen at random
  // stand for all, so that the second is an estimate.
  std::vector<uint64_t> long_ns, short_ns;
};

class SchedReader {
 public:
  // To take a stack costs 2 us. Throws Error, "why; remedy".
  explicit SchedReader(uint32_t stacks_per_s = 250);
  ~SchedReader();
  SchedReader(const SchedReader&) = delete;
  SchedReader& operator=(const SchedReader&) = delete;

  // The process that plays a role from now on, of one thread; 0 for none.
  void watch(Role role, pid_t pid);

  // Stops and starts counting; while it is stopped, nobody is watched.
  void run(bool on);

  // Looks what those are doing that have not switched since they are watched, and
  // learns how often they sleep. Call it some times a second.
  void poll(uint64_t now_ns);

  // Both go on from one process of a role to the next, and count the interval
  // that is under way. Warming while it is not known what a new one is doing.
  Reading<TaskTimes> times(Role role) const;
  Reading<Sleeps> sleeps(Role role);

  // Addresses, leaf first, of a place; none if it is free.
  std::span<const uint64_t> stack(Role role, size_t place) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop::observe
