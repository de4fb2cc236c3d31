// The throughput panel: how fast now, how steady, against before, over time.
#pragma once

#include "engine/snapshot.h"
#include "tui/dashboard/canvas.h"

namespace pipetop::tui {

void draw_throughput(const Area& area, const Throughput& throughput, uint64_t now_ns);

}  // namespace pipetop::tui
