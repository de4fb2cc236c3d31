#include "tui/watch/table_state.h"

#include <algorithm>
#include <array>

namespace pipetop::tui {
namespace {

int count_of(const TableState& table) { return static_cast<int>(table.rows.rows().size()); }

}  // namespace

const PipeRow* selected_row(const TableState& table) {
  const auto& rows = table.rows.rows();
  const auto at = static_cast<size_t>(table.at);
  return table.selected && at < rows.size() ? rows[at].row : nullptr;
}

void select(TableState& table, int row) {
  table.at = std::clamp(row, 0, std::max(0, count_of(table) - 1));
  if (count_of(table) > 0)
    table.selected = table.rows.rows()[static_cast<size_t>(table.at)].row->pipe.id;
}

void move_selection(TableState& table, int lines) {
  // The first press selects the top row, or what is in the place of the one that is gone.
  const bool first = !table.selected && lines == 1;
  select(table, table.at + (first ? 0 : std::clamp(lines, -count_of(table), count_of(table))));
}

void settle(TableState& table, int visible) {
  table.rows.make(table.choice, table.selected);
  const auto& rows = table.rows.rows();
  visible = std::max(visible, 1);
  const int before = table.at;
  if (table.selected) {
    const auto same = [&](const TableRow& row) { return row.row->pipe.id == *table.selected; };
    const auto found = std::ranges::find_if(rows, same);
    if (found != rows.end()) {
      table.at = static_cast<int>(found - rows.begin());
      table.scroll += table.at - before;
    } else {
      table.selected.reset();  // nobody has chosen what is in its place now
    }
  }
  table.at = std::clamp(table.at, 0, std::max(0, count_of(table) - 1));
  table.scroll = std::clamp(table.scroll, table.at - visible + 1, table.at);
  table.scroll = std::clamp(table.scroll, 0, std::max(0, count_of(table) - visible));
}

}  // namespace pipetop::tui
