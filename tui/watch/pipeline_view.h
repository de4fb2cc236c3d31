// Draws the open pipeline: what holds it up, its stages and rings, and one of them in detail.
#pragma once

#include "engine/watch/pipeline.h"
#include "tui/draw/canvas.h"
#include "tui/state/layout.h"
#include "tui/watch/pipeline_state.h"

namespace pipetop::tui {

// Fixed for a screen, so that nothing below moves with the text.
constexpr int verdict_rows(int screen_rows) {
  return screen_rows >= 36 ? 4 : screen_rows >= 22 ? 2 : 1;
}

void draw_verdict(const Area& area, const Bottleneck& bottleneck);

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
