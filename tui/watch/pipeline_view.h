// Draws the open pipeline: its bottleneck, its stages and rings, and one of them in detail.
#pragma once

#include <optional>

#include "engine/model/pipeline.h"
#include "tui/draw/canvas.h"
#include "tui/watch/pipeline_state.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

struct PipelineLayout {
  Rect verdict, change, chain, detail;  // of the screen; an empty one isn't shown
  Border border = Border::rule;         // of the detail
  ChainLayout items;                    // their places are on the screen
  Rect log;  // of the segments, once it is open: in the detail's place, else in all of it
};

// Between the title and the message line.
PipelineLayout pipeline_layout(const Rect& body, int screen_rows, const PipelineState& state);

// `waiting_for`: what is said while there is no pipeline.
void draw_pipeline(Canvas& canvas, const PipelineLayout& layout, const PipelineState& state,
                   std::string_view waiting_for);

// The verdict: the bottleneck, and below it the numbers that show it, as there are rows.
void draw_pipeline_verdict(const Area& area, const Verdict& verdict);

// Stages and rings, where `items` has them on the screen, and how many have no room in `chain`.
void draw_chain(Canvas& canvas, const Rect& chain, const ChainLayout& items,
                const PipelineState& state);

// The function list of a stage in detail, on the screen. Empty if there is none.
Rect detail_list(const PipelineLayout& layout, const PipelineState& state);

// The slots of a ring in detail; nothing if none are drawn.
std::optional<SlotsPlace> detail_slots(const PipelineLayout& layout, const PipelineState& state);

}  // namespace pipetop::tui
