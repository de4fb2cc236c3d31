// Wall time of the two roles by state, and the stacks in which they sleep, counted
// by bpf/sched.bpf.c on every switch; folded into a table, how long, and a call tree.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/reading.h"
#include "engine/model/counts.h"
#include "engine/model/functions.h"
#include "engine/model/settings.h"
#include "engine/observe/sampler.h"
#include "engine/observe/symbols.h"

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
  virtual ~SchedReader() = default;

  // Sets the process of a role, which must be single-threaded; 0 for none.
  virtual void watch(Role role, pid_t pid) = 0;

  // Stops and starts counting; while stopped, no process is watched.
  virtual void run(bool on) = 0;

  // How its programs count from now on, see Sampler::count().
  virtual void count(BpfCounters layout) = 0;

  // For a millisecond, reads the ring at every syscall of the roles. Returns after
  // that time; every syscall of the machine is a little slower meanwhile.
  virtual void look_closely() = 0;

  // Checks the state of processes that have not switched since they were watched,
  // and measures how often they sleep. To be called a few times per second.
  virtual void poll(uint64_t now_ns) = 0;

  // Both continue from one process of a role to the next, and include the current
  // interval. Warming until the state of a new process is known.
  virtual Reading<TaskTimes> times(Role role) const = 0;
  virtual Reading<Sleeps> sleeps(Role role) = 0;

  // The addresses of a place, leaf first; none if it is unused.
  virtual std::span<const uint64_t> stack(Role role, size_t place) const = 0;
};

inline constexpr uint32_t kStacksPerSecond = 250;  // at most: taking one costs 2 us

// Counts occupancy in the sampler's maps, if there are any.
// Throws Error, "why; remedy".
std::unique_ptr<SchedReader> make_sched_reader(OccupancyMaps maps = {},
                                               uint32_t stacks_per_s = kStacksPerSecond,
                                               Whose whose = Whose::ours);

// The functions in which a task sleeps, innermost first, from the addresses of a
// stack taken when it switched away.
std::vector<Function> sleeping_stack(std::span<const uint64_t> addresses, const Symbols& symbols);

// The difference between `now` and `before`. `stack_of` returns the addresses of a
// place. The tree's weight is exactly `ns`: estimates are scaled to fit, and time
// whose stack was lost is a separate root, "[unknown]".
BlockedTable blocked_table(const Sleeps& now, const Sleeps& before,
                           const std::function<std::span<const uint64_t>(size_t)>& stack_of,
                           const Symbols& symbols);

}  // namespace pipetop::observe
