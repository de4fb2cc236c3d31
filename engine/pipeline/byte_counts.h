// Exact bytes, by pipe: the return values of system calls tell them for each end.
#pragma once

#include <map>
#include <vector>

#include "engine/observe/stage_clock.h"

namespace pipetop {

class ByteCounts {
 public:
  // The cumulative counts now.
  void update(const std::vector<observe::EndBytes>& ends);

  // Put into a pipe, or taken out of it: what is more, because a writer that lives for a moment
  // only is not seen.
  uint64_t of(PipeId pipe) const;
  // Through this end, since counting began.
  uint64_t of(PipeId pipe, ProcessId process, int fd, bool writing) const;

 private:
  struct EndId {
    PipeId pipe;
    ProcessId process;
    int fd;
    bool writing;

    auto operator<=>(const EndId&) const = default;
  };
  struct Sums {
    uint64_t read = 0, written = 0;
  };

  std::map<EndId, uint64_t> ends_;
  std::map<PipeId, Sums> sums_;
};

}  // namespace pipetop
