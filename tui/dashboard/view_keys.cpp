// What keys do to the function lists and to the ring's panel.
#include <algorithm>

#include "engine/registry/workloads.h"
#include "tui/dashboard/keymap.h"
#include "tui/draw/text.h"
#include "tui/state/layout.h"
#include "tui/state/ring_state.h"
#include "tui/state/stage_layout.h"

namespace pipetop::tui {
namespace {

constexpr Key kDelete = 0x7F;

void set_filter(ViewState& view, std::string filter) {
  view.choice.filter = std::move(filter);
  for (ListState& list : view.lists) list.filtered = Folds(true);
}

void erase_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

// Slots are a power of two, so unsigned indices wrap around correctly.
uint32_t wrapped(const RingFrame& frame, uint32_t index) { return index % frame.slots; }

uint32_t slots_a_line(const RingFrame& frame, const StripScale& scale) {
  if (scale.lines <= 1) return std::max(frame.slots / 4, 1u);
  return static_cast<uint32_t>(scale.cells_a_line * scale.slots_a_cell);
}

// On stage the scene's view decides how functions are listed. A tree is open at first, so that
// neither its story nor the highlighted function is hidden in a closed row.
void follow_stage(ViewState& view) {
  const SceneView shown = view.stage.view;
  if (!shows_lists_on_stage(shown)) return;
  const bool tree = shown == SceneView::tree;
  view.choice.form = tree ? ListForm::tree : ListForm::flat;
  view.choice.activity = shown == SceneView::waiting ? Activity::waiting : Activity::running;
  const bool fresh = std::ranges::any_of(
      view.lists, [](const ListState& list) { return list.folds.version() == 0; });
  if (tree ? view.opened_for_stage && !fresh : !view.opened_for_stage) return;
  open_for_stage(view, tree);
}

// Only as far as needed: the hottest rows matter, too. Not if it is gone, nor if the user has moved
// on to another row.
void bring_into_view(ListState& list, std::string_view function, int visible) {
  if (function.empty() || list.selected >= 0) return;
  const auto rows = rows_of(list);
  const auto found = std::ranges::find(rows, function, &CallRow::name);
  const bool there = found != rows.end() && found->novelty != Novelty::vanished;
  const auto index = static_cast<int>(found - rows.begin());
  list.scroll = there ? std::max(0, index - visible + 1) : 0;
}

// Where a key goes from a slot, counted on around the ring.
std::optional<uint32_t> target(const RingFrame& frame, uint32_t at, Key pressed, uint32_t line) {
  switch (pressed) {
    case key::right:
      return at + 1;
    case key::left:
      return at + frame.slots - 1;
    case key::down:
    case key::page_down:
      return at + line;
    case key::up:
    case key::page_up:
      return at + frame.slots - wrapped(frame, line);
    case key::home:
      return frame.tail;
    case key::end:
      return frame.tail + std::max(frame.used, 1u) - 1;
    default:
      return std::nullopt;
  }
}

}  // namespace

void open_for_stage(ViewState& view, bool open) {
  view.opened_for_stage = open;
  for (ListState& list : view.lists) list.folds.set_all(open);
}

void show_lists(ViewState& view, const Snapshot& shown, int rows, int cols) {
  if (!view.reference.is_a && view.reference.segment != shown.throughput.previous)
    view.reference = {shown.throughput.previous};
  const Layout layout = screen_layout(view, rows, cols);
  if (view.stage.on) follow_stage(view);
  for (const Role role : roles_of(view.on_screen())) {
    ListState& list = view.list(role);
    refresh(list.contents, shown.worker(role), view.reference, view.choice,
            list.folds_in(view.choice));
    if (view.stage.on) {
      view.hottest[static_cast<size_t>(role)].update(shown.worker(role));
      bring_into_view(list, view.stage.highlight, function_rows(list_of(layout, role)));
    }
    keep_in_view(list, function_rows(list_of(layout, role)));
  }
}

void move_selection(ListState& list, int lines) {
  const int last = static_cast<int>(rows_of(list).size()) - 1;
  if (last < 0) return;
  // The first press selects the top of the list.
  const int from = list.selected < 0 ? list.scroll - (lines == 1 ? 1 : 0) : list.selected;
  int to = std::clamp(from + lines, 0, last);
  // The line above the vanished functions is no row to select; one of them follows.
  if (rows_of(list)[static_cast<size_t>(to)].is_heading()) to += lines < 0 && to > 0 ? -1 : 1;
  select(list, to);
}

bool edit_filter(ViewState& view, Key key) {
  if (!view.choice.filter_before) return false;
  std::string filter = view.choice.filter;
  if (key == key::enter || key == key::escape) {
    if (key == key::escape) set_filter(view, *view.choice.filter_before);
    view.choice.filter_before.reset();
    return true;
  }
  if (key == key::backspace || key == kDelete || key == key::ctrl('H')) {
    erase_last_character(filter);
  } else if (key == key::ctrl('U')) {
    filter.clear();
  } else if (key >= U' ' && key < key::up) {
    append_utf8(filter, key);
  } else {
    return false;
  }
  set_filter(view, std::move(filter));
  return true;
}

bool drop_filter(ViewState& view) {
  if (view.choice.filter.empty()) return false;
  set_filter(view, "");
  return true;
}

std::string toggle_inspection(RingState& state, const RingView& ring) {
  const RingFrame* frame = drawable_frame(ring);
  if (state.inspected) {
    state.inspected.reset();
    return {};
  }
  if (!frame) return "no slot to inspect: " + absent_slots(ring);
  state.inspected = wrapped(*frame, frame->tail);
  return "arrows move between slots, Space freezes, Esc leaves";
}

bool inspect(RingState& state, Key pressed, const Snapshot& shown, const Rect& panel) {
  if (!state.inspected) return false;
  if (pressed == key::escape) {
    state.inspected.reset();
    return true;
  }
  const RingFrame* frame = drawable_frame(shown.ring);
  if (!frame) return false;
  const RingLayout plan = ring_layout(panel.rows, panel.cols, frame->slots, state, pace_of(shown));
  const auto to = target(*frame, wrapped(*frame, *state.inspected), pressed,
                         slots_a_line(*frame, plan.strip_view.scale));
  if (to) state.inspected = wrapped(*frame, *to);
  return to.has_value();
}

}  // namespace pipetop::tui
