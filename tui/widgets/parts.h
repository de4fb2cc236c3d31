// The parts panel: each pair, client or worker with its rate, all together, and what
// else the workload knows of itself. It stands where the ring does.
#pragma once

#include <vector>

#include "engine/model/snapshot.h"
#include "tui/widgets/panel.h"

namespace pipetop::tui {

std::vector<TitlePart> parts_title(const Snapshot& snapshot);

void draw_parts(const Area& area, const Snapshot& snapshot);

}  // namespace pipetop::tui
