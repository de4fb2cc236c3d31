// Draws what a chain consists of: a stage, as a box or in one line, and where its time goes; and
// the ring between two stages: every slot if they are known, else how full it is, its rate, and
// both over time.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/pipeline.h"
#include "tui/draw/canvas.h"
#include "tui/widgets/list_state.h"
#include "tui/widgets/ring_state.h"

namespace pipetop::tui {

// Where its time goes, side by side in one row: all shares, or the largest that fit.
void draw_share_items(const Area& area, const StageShares& shares);

struct StageShown {
  const Stage& stage;
  bool selected = false;
  std::string_view blame = {};                // "bottleneck"; "" if it is not to blame
  size_t cpus = 0;                            // of the machine; 0: not known
  const HottestFunctions* hottest = nullptr;  // null: its functions aren't shown
};

// With its command, CPU and shares, as many of them as there are rows: 3 or more.
void draw_stage_box(Canvas& canvas, const Rect& rect, const StageShown& shown);

// In the area's first row.
void draw_stage_line(const Area& area, const StageShown& shown);

// "4 threads", "nice 5", "CPU 0-1": what isn't as usual.
std::string unusual_text(const Stage& stage, size_t cpus);

struct RingShown {
  const Pipe& pipe;
  const RingMemory& memory;  // its slots
  uint64_t now_ns = 0;
  bool selected = false;
  bool instant = false;     // a frozen screen: its slots are those of one instant
  std::string factor = {};  // what a change of it gained, "×1.7"
  std::string ends = {};    // "tar 4001 → tee 4002" where that isn't plain to see
};

// Below the stage that writes to it: in one row or, with the histories, two or more.
void draw_ring_line(const Area& area, const RingShown& shown);

// Between the boxes of two stages: 8 rows or more, 12 columns or more.
void draw_ring_between(const Area& area, const RingShown& shown);

// The slots in one row or more, or how full it is, or that it isn't known.
void draw_fill(const Area& area, const RingShown& shown);

// The rate, or the share of the ring that is used, over time.
void draw_rates(const Area& area, const RingShown& shown);
void draw_levels(const Area& area, const RingShown& shown);

}  // namespace pipetop::tui
