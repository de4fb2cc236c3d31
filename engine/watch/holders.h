// Who moves the data of an end that several processes hold, as a shell and its children do.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/watch/graph.h"
#include "engine/watch/scan_index.h"

namespace pipetop {

// A process that holds one side of a pipe.
struct Holder {
  ProcessId process;
  bool standard = false;  // as its standard input or output
  bool error = false;     // only as its standard error
  bool both = false;      // it holds the other side, too
  bool seen = false;      // moving data there
  bool beyond = false;    // it was seen to do so at the other side, but not at this one
  std::vector<int> fds = {};
};

// One process holds one end, another one the other: most pipes are so, and both move its data.
bool has_one_of_each(const ScannedPipe& pipe);

// The holders of both sides of a pipe, sorted by process, as its ends are.
struct Holders {
  std::vector<Holder> writers, readers;
};
Holders holders_of(const ScannedPipe& pipe, const SeenMoving& moving);

// Finds the holders of one side that move its data. `others` hold the other side. Takes as
// long as they have descriptors are many: strangers choose how many.
std::vector<bool> movers(std::span<const Holder> side, std::span<const Holder> others,
                         const Families& families);

// Who moves the data of an end that several processes hold and nobody waits at: whoever has read or
// written meanwhile, or, as splice counts for nobody, used a CPU. From scans of everything.
class ContestedEnds {
 public:
  // A later scan. Adds to `moving` whom it shows to move the data of a ring whose head moved, or of
  // a socket.
  void see(const PipeScan& scan, const ScanIndex& index, SeenMoving& moving);

 private:
  struct Totals {
    uint64_t written = 0, read = 0;  // bytes
    uint64_t cpu_ns = 0;
    bool able = false;  // it doesn't only wait for a child
  };

  static Totals totals_of(std::span<const ScannedTask> threads);
  // What tells a mover.
  struct Signs {
    bool writing = false;  // bytes written, else bytes read
    bool by_cpu = false;   // or CPU time
    bool several = false;  // of several that have it as another descriptor, too
  };

  std::vector<PipeEnd> movers(std::span<const PipeEnd> holders, const Signs& signs,
                              const std::map<ProcessId, Totals>& now) const;

  std::map<ProcessId, Totals> totals_;  // of the last scan
  std::map<PipeId, uint32_t> heads_;
};

}  // namespace pipetop
