// Who moves the data of an end that several processes hold and nobody waits at: whoever has read or
// written meanwhile, or, as splice counts for nobody, used a CPU. From scans of everything.
#pragma once

#include <cstdint>
#include <map>

#include "engine/watch/graph.h"
#include "engine/watch/scan_index.h"

namespace pipetop {

class ContestedEnds {
 public:
  // A later scan. Adds to `moving` whom it shows to move the data of a ring whose head moved.
  void see(const PipeScan& scan, const ScanIndex& index, SeenMoving& moving);

 private:
  struct Totals {
    uint64_t written = 0, read = 0;  // bytes
    uint64_t cpu_ns = 0;
    bool able = false;  // it doesn't only wait for a child
  };

  static Totals totals_of(std::span<const ScannedTask> threads);
  std::vector<PipeEnd> movers(std::span<const PipeEnd> holders, bool writing,
                              const std::map<ProcessId, Totals>& now) const;

  std::map<ProcessId, Totals> totals_;  // of the last scan
  std::map<PipeId, uint32_t> heads_;
};

}  // namespace pipetop
