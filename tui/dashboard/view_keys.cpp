#include "tui/dashboard/view_keys.h"

#include <algorithm>
#include <array>

#include "engine/registry/terms.h"
#include "tui/draw/text.h"
#include "tui/state/layout.h"
#include "tui/state/ring_state.h"

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

// The selected row; selects the top one if there is none.
const CallRow* row_to_open(ListState& list) {
  if (!selected_row(list)) select(list, list.scroll);
  const CallRow* row = selected_row(list);
  return row && row->fold != Fold::none ? row : nullptr;
}

// Slots are a power of two, so unsigned indices wrap around correctly.
uint32_t wrapped(const RingFrame& frame, uint32_t index) { return index % frame.slots; }

uint32_t slots_a_line(const RingFrame& frame, const StripScale& scale) {
  if (scale.lines <= 1) return std::max(frame.slots / 4, 1u);
  return static_cast<uint32_t>(scale.cells_a_line * scale.slots_a_cell);
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

void show_lists(ViewState& view, const Snapshot& shown, int rows, int cols) {
  if (!view.reference.is_a && view.reference.segment != shown.throughput.previous)
    view.reference = {shown.throughput.previous};
  const Layout layout = make_layout(rows, cols, view.requested);
  for (const Role role : roles_of(view.requested)) {
    ListState& list = view.list(role);
    refresh(list.contents, shown.worker(role), view.reference, view.choice,
            list.folds_in(view.choice));
    keep_in_view(list, function_rows(inside(layout, panel_of(layout, role))));
  }
}

void move_selection(ListState& list, int lines) {
  const int last = static_cast<int>(rows_of(list).size()) - 1;
  if (last < 0) return;
  // The first press selects the top of the list.
  const int from = list.selected < 0 ? list.scroll - (lines == 1 ? 1 : 0) : list.selected;
  select(list, std::clamp(from + lines, 0, last));
}

void open_level(ViewState& view) {
  ListState& list = view.list(view.focus);
  const CallRow* row = row_to_open(list);
  if (row) list.folds_in(view.choice).set_level(row->path, row->fold == Fold::closed);
}

// Closes it only if everything below is open already.
void open_entry(ViewState& view) {
  ListState& list = view.list(view.focus);
  const CallRow* row = row_to_open(list);
  if (!row) return;
  const bool all_open = row->fold == Fold::open && row->open_below;
  list.folds_in(view.choice).set_entry(row->path, !all_open);
}

void open_all(ViewState& view) { view.list(view.focus).folds_in(view.choice).set_all(true); }

void close_all(ViewState& view) {
  ListState& list = view.list(view.focus);
  const auto rows = rows_of(list);
  int top = selected_row(list) ? list.selected : -1;
  while (top >= 0 && rows[static_cast<size_t>(top)].parent >= 0)
    top = rows[static_cast<size_t>(top)].parent;
  select(list, top);
  list.folds_in(view.choice).set_all(false);
}

std::string_view toggle_form(ViewState& view) {
  ListChoice& choice = view.choice;
  const bool tree = choice.form == ListForm::flat;
  choice.form = tree ? ListForm::tree : ListForm::flat;
  return tree ? "call tree; + opens a row, E all" : "functions; + opens callees";
}

std::string_view toggle_sort(ViewState& view) {
  ListChoice& choice = view.choice;
  const bool self = choice.sort() == ListSort::children;
  choice.sort() = self ? ListSort::self : ListSort::children;
  return self ? "sorted by self" : "sorted by self and children";
}

std::string_view toggle_activity(ViewState& view) {
  ListChoice& choice = view.choice;
  const bool waiting = choice.activity == Activity::running;
  choice.activity = waiting ? Activity::waiting : Activity::running;
  return waiting ? "where the processes wait, by blocked time"
                 : "where the processes run, by samples";
}

std::string_view toggle_wall(ViewState& view) {
  ListChoice& choice = view.choice;
  choice.wall = !choice.wall;
  return choice.wall ? "shares of wall time, with blocked and runnable time"
                     : "shares of the listed total";
}

void begin_filter(ViewState& view) { view.choice.filter_before = view.choice.filter; }

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

std::string_view next_picture(ViewState& view) {
  constexpr std::array<std::string_view, 3> kMessages = {
      "ring: heat map and histogram, as room allows", "ring: histogram", "ring: heat map"};
  const size_t next = (static_cast<size_t>(view.ring.picture) + 1) % kMessages.size();
  view.ring.picture = static_cast<RingPicture>(next);
  return kMessages[next];
}

}  // namespace pipetop::tui
