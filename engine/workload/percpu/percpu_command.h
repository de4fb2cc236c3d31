// What the engine tells the workers that insert rules, and what they tell of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pipetop::percpu {

struct InsertCommand {
  uint64_t kind = 0;       // ActionKind
  uint64_t no_percpu = 0;  // 0 or 1
  uint64_t rules = 0;      // in the kernel at most
  uint64_t batch = 1;      // rules a call
  uint64_t measure = 0;    // 0 or 1: find out first what a rule takes of the memory
  uint64_t life = 0;       // of its process: a successor answers for itself
};

// Indices of WorkerReport::figures. Both sizes are 0 unless `measured`; then the
// report's reason says why not.
enum InsertFigure : size_t {
  kMeasured,     // 0 or 1
  kPercpuBytes,  // of a rule
  kSlabBytes,    // of a rule
  kWithFilters,  // 0 or 1: the rules come with filters (Road::filter)
};

}  // namespace pipetop::percpu
