// Wall time of the two roles by state, and the stacks in which they sleep, counted
// by bpf/sched.bpf.c on every switch.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>

#include "engine/base/reading.h"
#include "engine/model/counts.h"
#include "engine/model/functions.h"
#include "engine/model/settings.h"
#include "engine/observe/call_trees.h"
#include "engine/observe/sampler.h"

namespace pipetop::observe {

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

  // Checks the state of processes that have not switched for a while, and measures how often they
  // sleep and what that costs. To be called a few times per second.
  virtual void poll(uint64_t now_ns) = 0;

  // What its program takes of the throughput. Warming until it has run for half a second.
  virtual const Reading<Price>& price() const = 0;

  // Both continue from one process of a role to the next, and include the current
  // interval. Warming until the state of a new process is known.
  virtual Reading<TaskTimes> times(Role role) const = 0;
  virtual Reading<Sleeps> sleeps(Role role) = 0;

  // The addresses of a place, leaf first; none if it is unused.
  virtual std::span<const uint64_t> stack(Role role, size_t place) const = 0;
};

// Of a run of a program at switches: what it takes besides the program. Measured with an empty one;
// the caches that it displaces are the greatest part, and differ.
inline constexpr double kLeastEntry_ns = 20, kMostEntry_ns = 120;

// Of a program of which a run takes `run_ns` once it is entered. Where the two roles run at once, a
// part of it, up to half, may keep neither from the other's work: nothing speaks for either bound,
// so the estimate is between them.
inline Price price_of_runs(double per_second, double run_ns) {
  const double low = per_second * (run_ns + kLeastEntry_ns) / 2e9,
               high = per_second * (run_ns + kMostEntry_ns) / 1e9;
  return {(low + high) / 2, low, high};
}

inline constexpr uint32_t kStacksPerSecond = 50;  // at most: taking one costs 2 us and more

// Counts occupancy in the sampler's maps, if there are any.
// Throws Error, "why; remedy".
std::unique_ptr<SchedReader> make_sched_reader(OccupancyMaps maps = {},
                                               uint32_t stacks_per_s = kStacksPerSecond,
                                               Whose whose = Whose::ours);

}  // namespace pipetop::observe
