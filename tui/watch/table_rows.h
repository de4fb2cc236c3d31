// Which rows the table has, and in which order.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/watch/pipeline.h"
#include "tui/state/pipe_columns.h"

namespace pipetop::tui {

struct TableChoice {
  PipeSort sort = PipeSort::rate;
  bool tree = false;  // the rows of a pipeline together, in the order of the flow
  bool all = false;   // also own pipes and idle ones
  std::string filter;
  bool operator==(const TableChoice&) const = default;
};

// Nothing moves, and nobody is blocked writing: a reader that waits for nobody is no news.
bool is_idle(const PipeRow& row);

// In a tree, its place in its pipeline.
enum class Bracket : uint8_t { none, first, middle, last };
// Marked for a moment.
enum class RowMark : uint8_t { none, added, ended };
inline constexpr uint64_t kMarkStays_ns = 3'000'000'000;

struct TableRow {
  const PipeRow* row = nullptr;
  RowMark mark = RowMark::none;
  Bracket bracket = Bracket::none;
  int depth = 0;  // in a tree: behind how many forks
};

class TableRows {
 public:
  // Takes each snapshot that is shown. Then, and after each change of the choice, the rows must be
  // made again; else that takes no time: each key asks for it. The pipe `kept` is shown also while
  // it is idle.
  void update(const WatchSnapshot& now);
  void make(const TableChoice& choice, std::optional<PipeId> kept);

  const std::vector<TableRow>& rows() const { return rows_; }
  size_t pipes() const { return pass_.size(); }
  size_t hidden() const { return hidden_; }        // own and idle ones that the filter would show
  bool has_passed() const { return has_passed_; }  // false: nobody knows yet what there is
  const PipeRow* find(PipeId pipe) const;          // shown or not; nullptr: it is gone

 private:
  struct Ended {
    PipeRow row;
    uint64_t at_ns = 0;
  };
  // Of a pipe in the pass.
  struct Place {
    PipeId pipe;
    size_t row;
  };
  void note_ended(const std::vector<Place>& places);
  RowMark mark_of(const PipeRow& row) const;

  SharedVector<PipeRow> pass_;
  std::vector<Place> places_;  // by pipe
  std::deque<Ended> ended_;    // oldest first
  size_t ended_before_ = 0;    // that were marked, ever
  uint64_t first_ns_ = 0;      // the first pass: nothing in it is new
  uint64_t now_ns_ = 0;
  bool has_passed_ = false;
  bool is_made_ = false;  // the rows are, and for these
  TableChoice made_for_;
  std::optional<PipeId> kept_;
  std::vector<TableRow> rows_;
  size_t hidden_ = 0;
};

}  // namespace pipetop::tui
