// The state of a function list.
#pragma once

#include <span>
#include <string>

#include "tui/state/list_contents.h"

namespace pipetop::tui {

struct ListState {
  Folds folds;
  Folds filtered{true};  // the same for a filtered tree, where everything is open at first

  // The selection follows the path of names, not the position: rows move with every
  // sample. If the path is gone, it may be found by its name.
  PathId path = 0;  // 0: none
  std::string name;
  int selected = -1;  // none until an arrow key is pressed
  int scroll = 0;

  ListContents contents;

  Folds& folds_in(const ListChoice& choice) {
    return choice.form == ListForm::tree && !choice.filter.empty() ? filtered : folds;
  }
};

// No rows while there is nothing to list.
std::span<const CallRow> rows_of(const ListState& list);

// nullptr if none is selected.
const CallRow* selected_row(const ListState& list);

void select(ListState& list, int row);
void select_nothing(ListState& list);

// Keeps selection and scroll within the rows: finds the selected row again, and
// scrolls to keep it visible.
void follow(ListState& list, int visible);

}  // namespace pipetop::tui
