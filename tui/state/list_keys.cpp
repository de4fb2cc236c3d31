#include "tui/state/list_keys.h"

#include <algorithm>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr Key kDelete = 0x7F;

// The selected row; selects the top one if there is none.
const CallRow* row_to_open(ListState& list) {
  if (!selected_row(list)) select(list, list.scroll);
  const CallRow* row = selected_row(list);
  return row && row->fold != Fold::none ? row : nullptr;
}

void erase_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

}  // namespace

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

void open_level(ListState& list, const ListChoice& choice) {
  const CallRow* row = row_to_open(list);
  if (row) list.folds_in(choice).set_level(row->path, row->fold == Fold::closed);
}

void open_entry(ListState& list, const ListChoice& choice) {
  const CallRow* row = row_to_open(list);
  if (!row) return;
  const bool all_open = row->fold == Fold::open && row->open_below;
  list.folds_in(choice).set_entry(row->path, !all_open);
}

void open_all(ListState& list, const ListChoice& choice) { list.folds_in(choice).set_all(true); }

void close_all(ListState& list, const ListChoice& choice) {
  const auto rows = rows_of(list);
  int top = selected_row(list) ? list.selected : -1;
  while (top >= 0 && rows[static_cast<size_t>(top)].parent >= 0)
    top = rows[static_cast<size_t>(top)].parent;
  select(list, top);
  list.folds_in(choice).set_all(false);
}

bool edit_text(std::string& text, Key key) {
  if (key == key::backspace || key == kDelete || key == key::ctrl('H')) {
    erase_last_character(text);
  } else if (key == key::ctrl('U')) {
    text.clear();
  } else if (key >= U' ' && key < key::up) {
    append_utf8(text, key);
  } else {
    return false;
  }
  return true;
}

}  // namespace pipetop::tui
