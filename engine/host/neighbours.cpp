#include "engine/host/neighbours.h"

#include <unistd.h>

#include <algorithm>
#include <functional>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

constexpr double kLeastCpus = 0.1;

std::map<pid_t, TaskStat> look() {
  std::map<pid_t, TaskStat> seen;
  NumberedNames processes("/proc");
  const pid_t us = getpid();
  while (const auto pid = processes.next())
    if (const auto stat = read_task_stat(*pid); stat && *pid != us && stat->parent != us)
      seen.emplace(*pid, *stat);
  return seen;
}

}  // namespace

Neighbours::Neighbours() : then_(look()), begin_ns_(monotonic_ns()) {}

std::vector<Neighbour> Neighbours::since() const {
  std::vector<Neighbour> found;
  const double passed_ns = double(monotonic_ns() - begin_ns_);
  for (const auto& [pid, stat] : look()) {
    const auto before = then_.find(pid);
    const bool same = before != then_.end() && before->second.start_ticks == stat.start_ticks;
    const uint64_t ticks = stat.cpu_ticks - (same ? before->second.cpu_ticks : 0);
    const double cpus = double(ticks * ns_per_tick()) / passed_ns;
    if (cpus >= kLeastCpus) found.push_back({std::string(stat.comm()), pid, cpus});
  }
  std::ranges::sort(found, std::greater(), &Neighbour::cpus);
  return found;
}

}  // namespace pipetop
