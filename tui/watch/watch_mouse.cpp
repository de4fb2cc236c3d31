// Clicks and the wheel, by place.
#include <algorithm>

#include "tui/state/list_state.h"
#include "tui/watch/pipeline_view.h"
#include "tui/watch/table_view.h"
#include "tui/watch/watch_controller.h"

namespace pipetop::tui {

void WatchController::click(const Mouse& mouse) {
  const WatchLayout layout = watch_layout(rows_, cols_);
  if (!layout.fits || state_.prompt || state_.question || state_.leaving) return;
  if (layout.keys.contains(mouse.row, mouse.col)) {
    const auto items = place_keys(layout.keys, watch_key_items(state_));
    const Key key = key_at(items, mouse.row - layout.keys.row, mouse.col);
    if (key != 0) press(key);
  } else if (!layout.body.contains(mouse.row, mouse.col)) {
    return;
  } else if (state_.in_pipeline) {
    click_pipeline(mouse);
  } else {
    click_table(mouse);
  }
}

// A click on the selected row opens it.
void WatchController::click_table(const Mouse& mouse) {
  const WatchLayout layout = watch_layout(rows_, cols_);
  const int line = mouse.row - layout.body.row - 1;
  const int row = state_.table.scroll + line;
  const auto count = static_cast<int>(state_.table.rows.rows().size());
  if (line < 0 || line >= table_rows_in(layout.body.rows) || row >= count) return;
  if (state_.table.selected && row == state_.table.at) return enter();
  select(state_.table, row);
}

void WatchController::click_pipeline(const Mouse& mouse) {
  PipelineState& pipeline = state_.pipeline;
  const WatchLayout layout = watch_layout(rows_, cols_);
  const PipelineLayout places = pipeline_layout(layout.body, rows_, pipeline);
  for (const PlacedItem& placed : places.items.items) {
    if (!placed.rect.contains(mouse.row, mouse.col)) continue;
    if (placed.item >= pipeline.chain.nodes()) return;
    pipeline.focus = PipelineFocus::chain;
    if (placed.item == pipeline.at && pipeline.selected) return enter();
    return select(pipeline, placed.item);
  }
  if (!places.detail.contains(mouse.row, mouse.col)) return;
  if (pipeline.focus == PipelineFocus::chain) pipeline.focus = PipelineFocus::detail;
  const Rect list = detail_list(places, pipeline);
  if (list.contains(mouse.row, mouse.col)) {
    const int line = function_line(list, mouse.row);
    const int row = pipeline.functions.scroll + line;
    if (line < 0 || row >= static_cast<int>(rows_of(pipeline.functions).size())) return;
    if (row == pipeline.functions.selected) return open_row();
    return select(pipeline.functions, row);
  }
  const auto slots = detail_slots(places, pipeline);
  if (!slots) return;
  if (const auto slot = slot_at(slots->inside, slots->frame, slots->plan, mouse.row, mouse.col))
    pipeline.ring.inspected = slot;
}

// The wheel scrolls a list, and moves the selection along if necessary.
void WatchController::scroll(const Mouse& mouse, int lines) {
  if (!state_.in_pipeline) return move_selection(state_.table, lines);
  PipelineState& pipeline = state_.pipeline;
  const WatchLayout layout = watch_layout(rows_, cols_);
  const PipelineLayout places = pipeline_layout(layout.body, rows_, pipeline);
  if (detail_list(places, pipeline).contains(mouse.row, mouse.col)) {
    select_nothing(pipeline.functions);
    pipeline.functions.scroll += lines;
  } else if (places.chain.contains(mouse.row, mouse.col)) {
    move_selection(pipeline, lines < 0 ? -1 : 1);
  }
}

}  // namespace pipetop::tui
