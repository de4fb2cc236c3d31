// Exact bytes, by pipe: the return values of system calls tell them for each end.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "engine/observe/stage_clock.h"

namespace pipetop {

class ByteCounts {
 public:
  // What moved since the last time.
  void add(const std::vector<observe::EndBytes>& moved);

  // After a pass over the machine: pipes that are gone are forgotten, and the ends of processes
  // that are; what these moved still counts for the pipe. One that it didn't see may be newer than
  // it.
  void forget(const std::function<bool(PipeId)>& is_gone,
              const std::function<bool(ProcessId)>& is_other);

  // Put into a pipe, or taken out of it: what is more, because somebody may not be seen.
  uint64_t of(PipeId pipe) const;
  // Through this end, since counting began.
  uint64_t of(PipeId pipe, ProcessId process, int fd, bool writing) const;

 private:
  struct EndId {
    ProcessId process;
    int fd;
    bool writing;

    auto operator<=>(const EndId&) const = default;
  };
  struct EndCount {
    uint64_t bytes = 0;
    bool is_new = true;  // since the last pass
  };
  struct Counts {
    uint64_t read = 0, written = 0;
    std::map<EndId, EndCount> ends;
    bool is_new = true;
  };

  std::map<PipeId, Counts> pipes_;
};

}  // namespace pipetop
