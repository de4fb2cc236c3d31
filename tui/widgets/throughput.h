// The throughput panel: the rate now, its stability, the comparison, the history.
#pragma once

#include <optional>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/numbers.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

// For the panel's title: empty at the normal pace.
TitlePart pace_badge(Pace pace);

// "A: gift true, 12.3 GiB/s" in this many columns; the label is shortened.
std::string frozen_text(const Segment& a, int cols);

// In slow motion rates are in pages per second if GiB/s would be 0.00, and are not compared. `a`:
// the segment to compare with; nullptr: the previous one. `roof`: the upper bound of a pipe's rate
// here, in GiB/s, if known.
void draw_throughput(const Area& area, const Throughput& throughput, uint64_t now_ns,
                     Pace pace = Pace::normal, const Segment* a = nullptr,
                     std::optional<double> roof = {});

}  // namespace pipetop::tui
