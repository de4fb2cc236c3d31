// A list of kernel functions by their share of a role's samples, as in perf.
#pragma once

#include "engine/snapshot.h"
#include "tui/dashboard/canvas.h"
#include "tui/dashboard/view_state.h"

namespace pipetop::tui {

struct FunctionListView {
  const Reading<FunctionTable>& functions;
  const ListState& list;
  Role role = Role::writer;
  bool focused = false;
  double full_bar = 1;  // the share that fills a bar; the same for both roles
};

void draw_function_list(const Area& area, const FunctionListView& view);

// Rows of functions that an area of so many rows shows.
constexpr int visible_functions(int rows) { return rows >= 3 ? rows - 1 : rows; }

// Keeps selection and scroll within the table: the selection finds its function
// again, the scroll keeps the selection in sight.
void follow(ListState& list, const Reading<FunctionTable>& functions, int visible);

}  // namespace pipetop::tui
