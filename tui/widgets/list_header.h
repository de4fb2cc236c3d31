// The line above a function list: its columns, and what is listed.
#pragma once

#include "tui/widgets/function_list.h"

namespace pipetop::tui {

// Where the columns of a list stand. A number's width holds the gap before it; 0:
// there is no room for it.
struct ListColumns {
  int self = 0, children = 0, change = 0;
  int name = 0, name_cols = 0;
  int bar = 0, bar_cols = 0;

  int change_col() const { return self + children; }
};

ListColumns list_columns(int cols, const ListContents& contents, const ListChoice& choice);

void draw_list_header(const Area& area, const ListColumns& columns, const FunctionListView& view);

}  // namespace pipetop::tui
