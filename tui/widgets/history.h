// The throughput over time: a filled curve, newest at the right, with an axis at
// the left and the keys that changed something below.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/snapshot.h"
#include "tui/dashboard/canvas.h"

namespace pipetop::tui {

// The history cut into equal intervals of absolute time, so that a column keeps
// its height while it moves to the left.
struct Bins {
  int64_t width_ns = 0;
  int64_t end_ns = 0;          // of the newest
  std::vector<double> values;  // oldest first; below 0: nothing is known

  // Before 0 when the machine has not been up for that long.
  int64_t start_ns() const { return end_ns - width_ns * static_cast<int64_t>(values.size()); }
};

Bins bin_history(std::span<const RatePoint> history, uint64_t now_ns, int bins);

// The end of an axis that begins at 0: the next 1, 1.5, 2, 3, 4, 5, 6 or 8 times
// a power of ten.
double axis_end(double max);

void draw_history(const Area& area, const Throughput& throughput, uint64_t now_ns);

}  // namespace pipetop::tui
