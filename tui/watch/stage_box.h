// Draws one stage of a pipeline, as a box or in one line, and where its time goes.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/pipeline.h"
#include "tui/draw/canvas.h"
#include "tui/widgets/list_state.h"

namespace pipetop::tui {

// Where its time goes, side by side in one row: all shares, or the largest that fit.
void draw_share_items(const Area& area, const StageShares& shares);

struct StageShown {
  const Stage& stage;
  bool selected = false;
  std::string_view blame = {};                // "bottleneck"; "" if it is not to blame
  size_t cpus = 0;                            // of the machine; 0: not known
  std::string factor = {};                    // what a change of it gained, "×1.7"
  const HottestFunctions* hottest = nullptr;  // null: its functions aren't shown
};

// With its command, CPU and shares, as many of them as there are rows: 3 or more.
void draw_stage_box(Canvas& canvas, const Rect& rect, const StageShown& shown);

// In the area's first row.
void draw_stage_line(const Area& area, const StageShown& shown);

// "4 threads", "nice 5", "CPU 0-1": what isn't as usual.
std::string unusual_text(const Stage& stage, size_t cpus);

}  // namespace pipetop::tui
