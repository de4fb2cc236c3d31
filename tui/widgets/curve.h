// A filled curve over time: of rates, or of anything else that is 0 or more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/segment.h"
#include "tui/draw/canvas.h"
#include "tui/widgets/time_axis.h"

namespace pipetop::tui {

// The history cut into the intervals of a time axis.
struct Bins {
  TimeAxis axis;
  std::vector<double> values;  // oldest first; below 0: nothing is known
};

// What lies further apart than `gap_ns` is not connected.
Bins bin_history(std::span<const RatePoint> history, uint64_t now_ns, int bins,
                 uint64_t gap_ns = 1'000'000'000);

// The end of an axis that begins at 0: rounded up to 1, 1.5, 2, 3, 4, 5, 6 or 8
// times a power of ten.
double axis_end(double max);

constexpr int bins_in_a_cell(const Glyphs& glyphs) { return glyphs.braille ? 2 : 1; }

// `bins`: so many for each cell of a row. `top` is the value at the upper edge.
void draw_curve(const Area& area, const Bins& bins, double top, Ink ink);

}  // namespace pipetop::tui
