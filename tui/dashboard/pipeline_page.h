// Our own workers as the stages of a pipeline with their ring between them, as `watch` shows those
// of others. Below them is the dashboard's panel of what is selected.
#pragma once

#include <optional>

#include "engine/model/snapshot.h"
#include "tui/dashboard/dashboard_state.h"
#include "tui/draw/canvas.h"
#include "tui/watch/pipeline_state.h"

namespace pipetop::tui {

// Takes each snapshot while the page is shown, and what the user has selected since.
void follow(PipelineState& pipeline, const Snapshot& shown, const DashboardState& view);

// The verdict above the stages, in the layout's place for them.
void draw_own_pipeline(Canvas& canvas, const Rect& rect, const PipelineState& pipeline);

// The panel of the stage or ring there; nothing if there is none.
std::optional<Panel> panel_at(const Rect& rect, const PipelineState& pipeline, int row, int col);

}  // namespace pipetop::tui
