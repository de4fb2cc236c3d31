// Exact bytes by end, counted by bpf/end_bytes.bpf.c while this lives.
#pragma once

#include <end_bytes.skel.h>

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "bpf/stages.h"
#include "engine/observe/libbpf.h"
#include "engine/observe/stage_clock.h"

namespace pipetop::observe {

class EndByteCounter {
 public:
  EndByteCounter();  // throws Error

  // Those of these processes, and of all that they start, count from now on. Throws Error.
  void watch(const std::set<ProcessId>& processes);
  // Also of what this process starts from now on. Throws Error.
  void count_children();

  // By process, descriptor and pipe. Of ends that are idle, only some thousands. Throws Error.
  std::vector<EndBytes> read();
  // There were too many processes, or ends, to count all.
  bool overflowed() const;

 private:
  struct EndId {
    ProcessId process;
    PipeId pipe;
    int fd = -1;
    bool writing = false;

    auto operator<=>(const EndId&) const = default;
  };
  struct Total {
    stage_bytes before = {};  // that the kernel has forgotten
    stage_bytes now = {};     // what it counts
    uint64_t moved = 0;       // number of the read that found more
  };

  void search();
  void forget_in_kernel(const std::map<EndId, stage_end>& ends);
  void forget();

  // Links are destroyed first, so that no program runs when the maps are released.
  Skeleton<end_bytes_bpf> skeleton_;
  std::vector<Link> links_;
  std::set<ProcessId> watched_;
  std::map<EndId, Total> totals_;
  uint64_t reads_ = 0;
};

}  // namespace pipetop::observe
