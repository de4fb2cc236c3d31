// The table of all pipes: the user's choices, the selected row, and how far it is scrolled.
#pragma once

#include <optional>
#include <string>

#include "tui/watch/table_rows.h"

namespace pipetop::tui {

struct TableState {
  TableChoice choice;
  std::optional<std::string> filter_before;  // set while the filter is being typed
  // The selection follows the pipe, not the place, and ends with it. Nothing until a key or a
  // click.
  std::optional<PipeId> selected;
  int at = 0;  // its row; for nothing, where the next key begins
  int scroll = 0;
  TableRows rows;
};

// nullptr if nothing is selected, or there are no rows.
const PipeRow* selected_row(const TableState& table);

void select(TableState& table, int row);
void move_selection(TableState& table, int lines);

// Makes the rows again, finds the selected pipe, and keeps it on its line of the screen if it can.
void settle(TableState& table, int visible);

}  // namespace pipetop::tui
