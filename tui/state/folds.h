// Which rows of a call list are open. Rows are identified by their path of functions, so that open
// rows survive new samples and other settings.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "engine/model/functions.h"

namespace pipetop::tui {

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

}  // namespace pipetop::tui
