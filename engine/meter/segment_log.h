// The closed segments, as many as there is room for.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "engine/model/segment.h"

namespace pipetop {

class SegmentLog {
 public:
  // An old segment keeps its figures. Its functions take most of the memory: first
  // the trees are dropped, then the tables.
  static constexpr size_t kKept = 200;
  static constexpr size_t kWithFunctions = 32;
  static constexpr size_t kWithTrees = 4;

  void add(Segment closed);

  // Fills in `previous` and `segments`.
  void describe(Throughput& view) const;

 private:
  std::deque<std::shared_ptr<const Segment>> closed_;  // oldest first
};

}  // namespace pipetop
