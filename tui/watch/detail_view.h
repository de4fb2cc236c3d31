// What is selected in a pipeline, in detail: the functions of a stage, or the slots of a ring.
#pragma once

#include <optional>

#include "tui/draw/canvas.h"
#include "tui/state/layout.h"
#include "tui/watch/pipeline_state.h"

namespace pipetop::tui {

void draw_detail(Canvas& canvas, const Rect& rect, Border border, const PipelineState& state);

// The function list of a stage's panel, on the screen. Empty if there is none.
Rect detail_list(const Rect& panel, Border border, const PipelineState& state);

// The slots of a ring's panel; nothing if none are drawn.
struct DetailSlots {
  const RingFrame& frame;
  Rect inside;  // of the panel, on the screen
  RingLayout plan;
};
std::optional<DetailSlots> detail_slots(const Rect& panel, Border border,
                                        const PipelineState& state);

}  // namespace pipetop::tui
