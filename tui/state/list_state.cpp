#include "tui/state/list_state.h"

#include <algorithm>

namespace pipetop::tui {
namespace {

// The row with the selection's path, else the nearest one with its name, else the
// row now in its place.
int find_selection(const ListState& list) {
  const auto rows = rows_of(list);
  const auto found = std::ranges::find(rows, list.path, &CallRow::path);
  if (found != rows.end()) return static_cast<int>(found - rows.begin());
  const int count = static_cast<int>(rows.size());
  int nearest = std::min(list.selected, count - 1), distance = count;
  for (int i = 0; i < count; ++i) {
    if (rows[static_cast<size_t>(i)].name != list.name) continue;
    if (std::abs(i - list.selected) >= distance) continue;
    distance = std::abs(i - list.selected);
    nearest = i;
  }
  return nearest;
}

}  // namespace

std::span<const CallRow> rows_of(const ListState& list) {
  const Reading<CallRows>& rows = list.contents.rows;
  return rows.has_value() ? std::span<const CallRow>(*rows) : std::span<const CallRow>();
}

const CallRow* selected_row(const ListState& list) {
  const auto rows = rows_of(list);
  const auto index = static_cast<size_t>(list.selected);
  return index < rows.size() ? &rows[index] : nullptr;
}

void select(ListState& list, int row) {
  list.selected = row;
  const CallRow* selected = selected_row(list);
  list.path = selected ? selected->path : 0;
  list.name = selected ? selected->name : "";
}

void select_nothing(ListState& list) { select(list, -1); }

void follow(ListState& list, int visible) {
  if (!list.contents.rows.has_value()) return;
  const int count = static_cast<int>(rows_of(list).size());
  visible = std::max(visible, 1);
  if (list.selected >= 0 && count > 0) {
    list.selected = find_selection(list);
    list.scroll = std::clamp(list.scroll, list.selected - visible + 1, list.selected);
  }
  list.scroll = std::clamp(list.scroll, 0, std::max(0, count - visible));
}

}  // namespace pipetop::tui
