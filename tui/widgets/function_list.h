// A list of kernel functions, or callers and callees, by their share of a role's
// running or waiting time, as in perf.
#pragma once

#include "tui/draw/canvas.h"
#include "tui/state/list_state.h"

namespace pipetop::tui {

struct FunctionListView {
  const ListState& list;
  const ListChoice& choice;
  Role role = Role::writer;
  bool focused = false;
  double full_bar = 1;       // the share that fills a bar; the same for both roles
  bool remedy_said = false;  // the reason for an empty list is elsewhere on the screen
};

void draw_function_list(const Area& area, const FunctionListView& view);

}  // namespace pipetop::tui
