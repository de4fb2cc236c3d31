// Composes a frame, from the snapshot and the user's choices. No terminal, no
// clock, no state.
#pragma once

#include <optional>

#include "engine/model/snapshot.h"
#include "tui/dashboard/dashboard_state.h"
#include "tui/dashboard/layout.h"
#include "tui/draw/canvas.h"
#include "tui/watch/pipeline_state.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

class WatchController;

// Draws the whole canvas, whatever its size. The lists' rows come from the last
// show_lists(). `pipeline`: of our workers, where it is shown.
void draw(Canvas& canvas, const Snapshot& snapshot, const DashboardState& state,
          const PipelineState* pipeline = nullptr);

// Draws a recorded moment as the dashboard showed it, without the replay's own line. `view` has the
// presets and what else is chosen, and remembers what moves.
void draw_recorded(Canvas& canvas, const Snapshot& shown, DashboardState& view);

// A scene that shows a pipeline of other programs: in the show with the title and the caption,
// beside it as `watch` does.
void draw_watching_scene(Canvas& canvas, const DashboardState& state,
                         const WatchController& watched);

// ---- our own workers as the stages of a pipeline with their ring between them, as `watch` shows
// those of others; below them is the dashboard's panel of what is selected ----

// Takes each snapshot while the page is shown, and what the user has selected since.
void follow(PipelineState& pipeline, const Snapshot& shown, const DashboardState& view);

// The verdict above the stages, in the layout's place for them.
void draw_own_pipeline(Canvas& canvas, const Rect& rect, const PipelineState& pipeline);

// The panel of the stage or ring there; nothing if there is none.
std::optional<Panel> panel_at(const Rect& rect, const PipelineState& pipeline, int row, int col);

}  // namespace pipetop::tui
