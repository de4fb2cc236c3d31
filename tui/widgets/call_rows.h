// The rows of a function list, made from call trees, and which of them are open; no drawing.
//
// Flat: each function is a row, and expands to its callees merged over all its
// occurrences, as in perf report --children. Tree: the top rows are the entry
// points, and it is open along the hottest path until something is opened or closed by hand.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/model/functions.h"

namespace pipetop::tui {

// The data of a list: where a role ran or waited, and what 100 % means.
struct CallProfile {
  // What fills up the wall time in addition to the tree.
  struct Part {
    std::string_view name;  // "[blocked]"; "": none
    double share = 0;
    bool operator==(const Part&) const = default;
  };

  std::shared_ptr<const CallTree> tree;  // never null
  uint64_t whole = 0;                    // the total weight
  double scale = 1;                      // the total as a share of the reference; 1 of itself
  std::array<Part, 2> beside;

  bool operator==(const CallProfile&) const = default;
};

// Identifies the path of functions from the top of a list down to a row; 0: no row.
using PathId = uint64_t;
PathId path_id(PathId parent, Function function);

class Folds {
 public:
  // The rule below some row, unless a newer one was set for a row there.
  struct Rule {
    bool open = false;
    uint64_t since = 0;
  };
  struct State {
    bool open = false;
    Rule below;
    bool by_hand = false;  // by any of the three ways below
  };

  Folds() = default;
  explicit Folds(bool open) : all_{open, 0} {}

  const Rule& top() const { return all_; }
  State at(PathId path, const Rule& inherited) const;

  void set_level(PathId path, bool open);
  // The row and everything below it, now and later.
  void set_entry(PathId path, bool open);
  void set_all(bool open);

  // Changes with every update.
  uint64_t version() const { return clock_; }

 private:
  struct Mark {
    bool open = false, entry = false;
    uint64_t at = 0;
  };
  std::unordered_map<PathId, Mark> marks_;
  Rule all_;
  uint64_t clock_ = 0;
};

enum class ListForm : uint8_t { flat, tree };
enum class ListSort : uint8_t { self, children };

struct RowsChoice {
  ListForm form = ListForm::flat;
  ListSort sort = ListSort::self;
  // "" or what a name must contain, case-insensitively. In a tree the callers of a
  // match are rows, too.
  std::string filter;

  bool operator==(const RowsChoice&) const = default;
};

enum class Fold : uint8_t { none, closed, open };
// `heading` is no function: it is the line above the vanished ones.
enum class Novelty : uint8_t { none, added, vanished, heading };
inline constexpr std::string_view kNoLongerSeen = "no longer seen";

// A share below this that appears or disappears is noise, not a new or vanished function.
inline constexpr double kWorthNaming = 0.005;

struct CallRow {
  std::string_view name = {};
  PathId path = 0;
  int parent = -1;                    // index of its row
  int depth = 0;                      // 0 at the top
  double self = 0, total = 0;         // shares
  std::optional<double> change = {};  // of the share used for sorting; none: unknown
  Novelty novelty = Novelty::none;
  Fold fold = Fold::none;
  bool open_below = false;  // rows below it are open by default
  uint64_t rails = 0;       // bit d: a row of depth d follows, below the same parent

  double share(ListSort sort) const { return sort == ListSort::self ? self : total; }
  bool is_heading() const { return novelty == Novelty::heading; }
};

using CallRows = std::vector<CallRow>;

// `before`: the reference for changes, nullptr if nothing is known.
CallRows make_rows(const CallProfile& now, const CallProfile* before, const RowsChoice& choice,
                   const Folds& folds);

}  // namespace pipetop::tui
