// How full the ring was over time: a histogram from empty to full.
#pragma once

#include <span>

#include "engine/base/reading.h"
#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// From left to right, with its numbers; one row or more.
void draw_occupancy(const Area& area, const Reading<Occupancy>& occupancy);

// From bottom to top, for use beside a heat map.
void draw_occupancy_bars(const Area& area, const Reading<Occupancy>& occupancy);

// Bins distributed over this many rows, lowest first: empty and full keep their own
// row, the bins in between share the others evenly. At least 3 rows.
void fold_bins(std::span<const double, kOccupancyBins> bins, std::span<double> rows);
// More rows would show nothing more.
inline constexpr int kMostOccupancyRows = kOccupancyBins;

}  // namespace pipetop::tui
