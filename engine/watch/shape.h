// The order of the stages and pipes of a part of the graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/watch/graph.h"

namespace pipetop {

// Those that move the data of a pipe, as numbers of processes.
struct Movers {
  std::span<const uint32_t> writers, readers;

  bool connect() const { return !writers.empty() && !readers.empty(); }
};

struct ShapeSource {
  const PipeScan& scan;
  const std::vector<ProcessId>& processes;  // sorted; a number is a place in them
  const std::vector<Movers>& movers;        // of each pipe of the scan
};

// Of these pipes. If nobody moves their data, all holders are stages.
PipelineShape shape_of(const ShapeSource& source, std::span<const size_t> pipes);

}  // namespace pipetop
