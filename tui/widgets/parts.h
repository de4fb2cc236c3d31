// The parts panel: each pair, client or worker with its rate, the total, and further figures of the
// workload. Takes the place of the ring.
#pragma once

#include <vector>

#include "engine/model/snapshot.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

std::vector<TitlePart> parts_title(const Snapshot& snapshot);

void draw_parts(const Area& area, const Snapshot& snapshot);

}  // namespace pipetop::tui
