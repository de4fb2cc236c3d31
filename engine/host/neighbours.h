// Who else runs on this machine, by the time on CPUs between two looks at /proc. Those that came
// and went in between are not seen.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/process/proc_files.h"

namespace pipetop {

class Neighbours {
 public:
  Neighbours();  // the first look

  // Since then, but for us and our children; the busiest first. Those that used less than a tenth
  // of a CPU are left out.
  std::vector<Neighbour> since() const;

 private:
  std::map<pid_t, TaskStat> then_;
  uint64_t begin_ns_;
};

}  // namespace pipetop
