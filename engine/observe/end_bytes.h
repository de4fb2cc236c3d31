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
#include "engine/observe/stage_observer.h"

namespace pipetop::observe {

class EndByteCounter {
 public:
  EndByteCounter();  // throws Error

  // Those of these processes, and of all that they start, count from now on. Throws Error.
  void watch(const std::set<ProcessId>& processes);
  // Also of what this process starts from now on. Throws Error.
  void count_children();

  // What moved since the last time. Throws Error.
  std::vector<EndBytes> take();
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
  struct Known {
    stage_bytes total = {};
    uint64_t moved_ns = 0;  // when more was found last
  };

  static EndId id_of(const stage_end& end);
  void search();
  static EndBytes more_of(const EndId& id, const stage_bytes& before, const stage_bytes& now);
  void forget_idle(const std::vector<stage_end>& ends, uint64_t now_ns,
                   std::vector<EndBytes>& moved);

  // Links are destroyed first, so that no program runs when the maps are released.
  Skeleton<end_bytes_bpf> skeleton_;
  std::vector<Link> links_;
  std::set<ProcessId> watched_;
  std::map<EndId, Known> known_;  // what the kernel has
  bool too_many_ = false;         // processes
};

}  // namespace pipetop::observe
