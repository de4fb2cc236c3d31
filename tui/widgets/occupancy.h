// How full the ring was over time: a histogram from empty to full.
#pragma once

#include <span>

#include "engine/base/reading.h"
#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// From left to right, with its numbers; one row or more.
void draw_occupancy(const Area& area, const Reading<Occupancy>& occupancy);

// From the bottom to the top, as a heat map has it, to stand beside one.
void draw_occupancy_bars(const Area& area, const Reading<Occupancy>& occupancy);

// Bins laid over so many rows, the lowest first: empty and full keep a row of
// their own, the parts between share the others evenly. At least 3 rows.
void fold_bins(std::span<const double, kOccupancyBins> bins, std::span<double> rows);
// More rows would say no more.
inline constexpr int kMostOccupancyRows = kOccupancyBins;

}  // namespace pipetop::tui
