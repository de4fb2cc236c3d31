// The throughput panel: the rate now, its stability, the comparison, the history.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/numbers.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

// Rates beside those that are measured, in the workload's unit.
struct KnownRates {
  std::optional<double> roof = {};  // the upper bound of a pipe's rate here
  std::optional<double> then = {};  // what a stored result has of these settings
};

// A filled curve, newest at the right, with an axis at the left and the keys of changes below.
// The axis is in rate_unit() of its end. Each known rate is a dashed line if it is in range; the
// axis extends up to twice as far as the rates for it.
void draw_history(const Area& area, const Throughput& throughput, uint64_t now_ns,
                  Pace pace = Pace::normal, const KnownRates& known = {});

// For the panel's title: empty at the normal pace.
TitlePart pace_badge(Pace pace);
TitlePart step_badge();

// "A: gift true, 12.3 GiB/s" in this many columns; the label is shortened.
std::string frozen_text(const Segment& a, int cols);

// Whether a panel of this size has a line for the cause of the last change.
bool has_cause_row(int rows, int cols);

// The number is the mean since the last change, of which the factor is made, too; "measuring" until
// it has settled. In slow motion rates are in pages per second if GiB/s would be 0.00, and are not
// compared. `a`: the segment to compare with; nullptr: the previous one. `damaged`: it is a rate of
// wrong bytes. `differs`: from the one to compare with, by more than the noise; else no factor is
// claimed.
void draw_throughput(const Area& area, const Throughput& throughput, uint64_t now_ns,
                     Pace pace = Pace::normal, const Segment* a = nullptr,
                     const KnownRates& known = {}, std::string_view cause = {},
                     bool damaged = false, bool differs = true);

}  // namespace pipetop::tui
