// Which CPUs the two workers run on.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "engine/model/settings.h"

namespace pipetop {

struct Cpu {
  int number = 0;
  int core = 0;     // unique over packages; hardware threads of one core share it
  int cluster = 0;  // CPUs that share the last-level cache share it
};

// The CPUs that this process may run on, from sched_getaffinity and sysfs.
std::vector<Cpu> read_topology();

struct PlacementChoice {
  Placement placement = Placement::unpinned;  // the placement that was possible
  int writer_cpu = kNoCpu;                    // kNoCpu: not pinned
  int reader_cpu = kNoCpu;
  std::string reason;  // why it is not the requested one; "" if it is
};

// Falls back near -> far -> smt -> same_cpu, with a reason.
PlacementChoice choose_cpus(const PipeSettings& settings, std::span<const Cpu> allowed);

// Pins to one CPU, or to all of `allowed` for kNoCpu. Returns 0 or errno.
int pin(pid_t pid, int cpu, std::span<const Cpu> allowed);

}  // namespace pipetop
