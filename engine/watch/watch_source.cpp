#include "engine/watch/watch_source.h"

#include "engine/process/placement.h"
#include "engine/process/threads.h"

namespace pipetop {

std::string WatchSource::user_of(ProcessId process) const { return pipetop::user_of(process); }
bool WatchSource::can_lower_nice(ProcessId process, int nice) const {
  return pipetop::can_lower_nice(process, nice);
}

std::vector<int> WatchSource::cpus() const {
  std::vector<int> numbers;
  for (const Cpu& cpu : read_topology()) numbers.push_back(cpu.number);
  return numbers;
}

}  // namespace pipetop
