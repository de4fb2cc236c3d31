// What is selected in a pipeline, in detail: the functions of a stage, or the slots of a ring.
#pragma once

#include <optional>

#include "tui/draw/canvas.h"
#include "tui/state/layout.h"
#include "tui/watch/pipeline_state.h"

namespace pipetop::tui {

void draw_detail(Canvas& canvas, const Rect& rect, Border border, const PipelineState& state);

// The function list of a stage's panel, and the strip of slots of a ring's, on the screen. Empty if
// there is none.
Rect detail_list(const Rect& panel, Border border, const PipelineState& state);
Rect detail_strip(const Rect& panel, Border border, const PipelineState& state);

// How the strip is drawn there.
std::optional<StripStyle> detail_strip_style(const Rect& panel, Border border,
                                             const PipelineState& state);

}  // namespace pipetop::tui
