// The throughput panel: how fast now, how steady, against before, over time.
#pragma once

#include <optional>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/state/pace.h"
#include "tui/widgets/panel.h"

namespace pipetop::tui {

// For the panel's title: empty at the normal pace.
TitlePart pace_badge(Pace pace);

// "A: gift true, 12.3 GiB/s" in so many columns, of which the label gives way.
std::string frozen_text(const Segment& a, int cols);

// In slow motion rates are in pages a second as long as GiB/s would read 0.00,
// and are compared with nothing. `a`: the segment to compare with; nullptr: the
// one before. `roof`: the most that a pipe can carry here, in GiB/s, if it is known.
void draw_throughput(const Area& area, const Throughput& throughput, uint64_t now_ns,
                     Pace pace = Pace::normal, const Segment* a = nullptr,
                     std::optional<double> roof = {});

}  // namespace pipetop::tui
