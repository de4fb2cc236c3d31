// How full the ring was over time: a histogram from empty to full, and a heat map.
#pragma once

#include <span>

#include "engine/base/reading.h"
#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/state/ring_state.h"
#include "tui/widgets/history.h"

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

// 0: no samples; up to 4: at least half of the samples.
int heat_level(double share);

// The last row is the axis, with the keys of changes; there is a legend if there
// are enough rows. Returns the rows of the map itself.
int draw_heat_map(const Area& area, const OccupancyHistory& history,
                  std::span<const ChangeMark> marks, uint64_t now_ns, TimeSpan span);

}  // namespace pipetop::tui
