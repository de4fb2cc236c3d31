// Where a function list stands.
#pragma once

#include <span>
#include <string>

#include "tui/state/list_contents.h"

namespace pipetop::tui {

struct ListState {
  Folds folds;
  Folds filtered{true};  // the same in a filtered tree, where all is open at first

  // The selection follows the path of names, not the place: rows change places
  // with every sample. A path that is gone may be found again by its name.
  PathId path = 0;  // 0: none
  std::string name;
  int selected = -1;  // none until an arrow key is pressed
  int scroll = 0;

  ListContents contents;

  Folds& folds_in(const ListChoice& choice) {
    return choice.form == ListForm::tree && !choice.filter.empty() ? filtered : folds;
  }
};

// No rows while it is not known what to list.
std::span<const CallRow> rows_of(const ListState& list);

// Nullptr if none is selected.
const CallRow* selected_row(const ListState& list);

void select(ListState& list, int row);
void select_nothing(ListState& list);

// Keeps selection and scroll within the rows: the selection finds its row again,
// the scroll keeps the selection in sight.
void follow(ListState& list, int visible);

}  // namespace pipetop::tui
