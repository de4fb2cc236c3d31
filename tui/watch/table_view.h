// Draws the table of all pipes.
#pragma once

#include <vector>

#include "tui/draw/canvas.h"
#include "tui/watch/table_rows.h"

namespace pipetop::tui {

struct PlacedColumn {
  TableColumn what;
  int col = 0, cols = 0;
};

// All that have room; the names of the ends get what is left.
std::vector<PlacedColumn> table_columns(int cols, bool tree);

// Rows of the table itself, below its heading.
int table_rows_in(int rows);

// `now_ns`: CLOCK_MONOTONIC of the snapshot.
void draw_table(const Area& area, const TableState& table, uint64_t now_ns);

}  // namespace pipetop::tui
