// The segments that were closed, for as long as there is room for them.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "engine/model/segment.h"

namespace pipetop {

class SegmentLog {
 public:
  // An old segment keeps its figures; of its functions, which are most of its
  // memory, first the trees go, then the tables.
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
