// The order in which data gets to the stages of a graph that may have circles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/watch/graph.h"

namespace pipetop {

// Nodes are numbers; those from `stages` on are only links between stages. Every arrow goes forward
// in the order that is returned, which has the stages only; but the stages of a circle stand side
// by side, by number. Where the order is free, lower numbers come first.
std::vector<size_t> graph_order(std::span<const std::vector<size_t>> arrows, size_t stages);

// For each node the number of its circle: nodes have the same one if they reach each other.
std::vector<size_t> circles(std::span<const std::vector<size_t>> arrows);

// The order of the stages and pipes of a part of the graph.

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

// Finds the shape of these pipes. If nobody moves their data, all holders are stages.
PipelineShape shape_of(const ShapeSource& source, std::span<const size_t> pipes);

}  // namespace pipetop
