// The order of a graph that may have circles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace pipetop {

// Nodes are numbers; those from `count` on are only links between the others. Every arrow goes
// forward in the order that is returned, which has no links; but the nodes of a circle stand side
// by side, by number. Where the order is free, lower numbers come first.
std::vector<size_t> graph_order(std::span<const std::vector<size_t>> arrows, size_t count);

// For each node the number of its circle: nodes have the same one if they reach each other.
std::vector<size_t> circles(std::span<const std::vector<size_t>> arrows);

// Sets of numbers that are joined one pair at a time.
class Joined {
 public:
  explicit Joined(size_t count) : up_(count) { std::iota(up_.begin(), up_.end(), 0u); }

  uint32_t root(uint32_t i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }
  void join(uint32_t a, uint32_t b) { up_[root(a)] = root(b); }

 private:
  std::vector<uint32_t> up_;
};

}  // namespace pipetop
