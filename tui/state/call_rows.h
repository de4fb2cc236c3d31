// The rows that a list of functions shows, made from call trees without drawing.
//
// Flat, each function is a row, and opens to its callees merged over all places
// where it occurs, as in perf report --children. As a tree, the rows at the top
// are the entry points.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/state/call_profile.h"
#include "tui/state/folds.h"

namespace pipetop::tui {

enum class ListForm : uint8_t { flat, tree };
enum class ListSort : uint8_t { self, children };

struct RowsChoice {
  ListForm form = ListForm::flat;
  ListSort sort = ListSort::self;
  // "" or what a name must hold, in small or capital letters. In a tree the
  // callers of such a function are rows too.
  std::string filter;

  bool operator==(const RowsChoice&) const = default;
};

enum class Fold : uint8_t { none, closed, open };
enum class Novelty : uint8_t { none, added, vanished };

// A share that fades in or out below this is noise, not a new or vanished function.
inline constexpr double kWorthNaming = 0.005;

struct CallRow {
  std::string_view name;
  PathId path = 0;
  int parent = -1;               // index of its row
  int depth = 0;                 // 0 at the top
  double self = 0, total = 0;    // shares
  std::optional<double> change;  // of the share that is sorted by; none: unknown
  Novelty novelty = Novelty::none;
  Fold fold = Fold::none;
  bool open_below = false;  // rows below it are open unless told otherwise
  uint64_t rails = 0;       // bit d: a row of depth d follows, below the same parent

  double share(ListSort sort) const { return sort == ListSort::self ? self : total; }
};

using CallRows = std::vector<CallRow>;

// `before`: what changes are told against, nullptr if nothing is known.
CallRows make_rows(const CallProfile& now, const CallProfile* before, const RowsChoice& choice,
                   const Folds& folds);

}  // namespace pipetop::tui
