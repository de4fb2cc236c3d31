// The order in which data gets to the stages of a graph that may have circles.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pipetop {

// Nodes are numbers; those from `stages` on are only links between stages. Every arrow goes forward
// in the order that is returned, which has the stages only; but the stages of a circle stand side
// by side, by number. Where the order is free, lower numbers come first.
std::vector<size_t> graph_order(std::span<const std::vector<size_t>> arrows, size_t stages);

// For each node the number of its circle: nodes have the same one if they reach each other.
std::vector<size_t> circles(std::span<const std::vector<size_t>> arrows);

}  // namespace pipetop
