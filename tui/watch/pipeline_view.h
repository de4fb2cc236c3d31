// Draws the open pipeline: what holds it up, its stages and rings, and one of them in detail.
#pragma once

#include "tui/draw/canvas.h"
#include "tui/state/layout.h"
#include "tui/watch/pipeline_state.h"

namespace pipetop::tui {

struct PipelineLayout {
  Rect verdict, chain, detail;   // of the screen; an empty one isn't shown
  Border border = Border::rule;  // of the detail
  ChainLayout items;             // their places are on the screen
};

// Between the title and the message line.
PipelineLayout pipeline_layout(const Rect& body, int screen_rows, const PipelineState& state);

// `waiting_for`: what is said while there is no pipeline.
void draw_pipeline(Canvas& canvas, const PipelineLayout& layout, const PipelineState& state,
                   std::string_view waiting_for);

}  // namespace pipetop::tui
