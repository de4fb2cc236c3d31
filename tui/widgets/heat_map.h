// How full the ring was over time: time to the right, empty at the bottom, full at
// the top, shaded by the share of samples.
#pragma once

#include <span>

#include "engine/model/snapshot.h"
#include "tui/state/ring_layout.h"
#include "tui/widgets/time_axis.h"

namespace pipetop::tui {

// 0: no samples; up to 4: at least half of the samples.
int heat_level(double share);

// The last row is the axis, with the keys of changes; there is a legend if there
// are enough rows. Returns the rows of the map itself.
int draw_heat_map(const Area& area, const OccupancyHistory& history,
                  std::span<const ChangeMark> marks, uint64_t now_ns, TimeSpan span);

}  // namespace pipetop::tui
