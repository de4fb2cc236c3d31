// The contents of one role's function list, or why it is empty.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "tui/state/call_rows.h"
#include "tui/state/reference.h"

namespace pipetop::tui {

// The same for both roles, so that they can be compared.
struct ListChoice {
  ListForm form = ListForm::flat;
  Activity activity = Activity::running;
  // By Activity and ListForm. Waiting always ends in the scheduler: its callers are
  // more useful.
  std::array<std::array<ListSort, 2>, 2> sorts = {
      {{ListSort::self, ListSort::children}, {ListSort::children, ListSort::children}}};
  bool wall = false;  // shares of wall time
  std::string filter;
  std::optional<std::string> filter_before;  // set while the filter is being edited

  ListSort sort() const { return sorts[static_cast<size_t>(activity)][static_cast<size_t>(form)]; }
  ListSort& sort() { return sorts[static_cast<size_t>(activity)][static_cast<size_t>(form)]; }
};

struct ListContents {
  Reading<CallRows> rows;
  std::string_view what;         // is listed, to say that it is unavailable
  bool compared = false;         // the previous state is known
  std::string_view reference;    // the reference for changes
  uint64_t count = 0, lost = 0;  // samples or sleeps
  uint64_t ns = 0;               // of the sleeps
  double largest = 0;            // share at the top of the list
  int processes = 1;             // that play the role; sleeps are of the first

  // What the rows were made from, because they are rebuilt only if it changes.
  struct Source {
    CallProfile now;
    std::optional<CallProfile> before;
    RowsChoice choice;
    const Folds* folds = nullptr;
    uint64_t folds_version = 0;
    bool operator==(const Source&) const = default;
  } source;
};

void refresh(ListContents& contents, const WorkerView& worker, const Reference& reference,
             const ListChoice& choice, const Folds& folds);

}  // namespace pipetop::tui
