// Composes a frame, from the snapshot and the user's choices. No terminal, no
// clock, no state.
#pragma once

#include <string>
#include <vector>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/state/dashboard_state.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

struct PipelineState;

// Draws the whole canvas, whatever its size. The lists' rows come from the last
// show_lists(). `pipeline`: of our workers, where it is shown.
void draw(Canvas& canvas, const Snapshot& snapshot, const DashboardState& state,
          const PipelineState* pipeline = nullptr);

// Needs a canvas of at least the show's size.
void draw_show(Canvas& canvas, const Snapshot& snapshot, const DashboardState& state);

// What the screen is, beside its measurements: a recording, or recorded.
std::vector<TitlePart> badges_of(const DashboardState& state);

// "3/12 Lending pages"; outside of a talk what the preset is.
std::string show_title(const DashboardState& state);

}  // namespace pipetop::tui
