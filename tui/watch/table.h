// The table of all pipes: which rows it has and in which order, the user's choices, the selected
// row, how far it is scrolled, and what that looks like.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/widgets/pipes.h"

namespace pipetop::tui {

// Whether sockets are beside pipes, alone, or left out.
enum class SocketRows : uint8_t { beside, alone, none };

struct TableChoice {
  PipeSort sort = PipeSort::rate;
  bool tree = false;  // the rows of a pipeline together, in the order of the flow
  bool all = false;   // also own pipes and idle ones
  std::string filter;
  SocketRows sockets = SocketRows::beside;
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
  void update(const Snapshot& now);
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
  // The place of a pipe in the pass.
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

struct TableState {
  TableChoice choice;
  std::optional<std::string> filter_before;  // set while the filter is being typed
  // The selection follows the pipe, not the place, and ends with it. Nothing until a key or a
  // click.
  std::optional<PipeId> selected;
  int at = 0;  // its row; for nothing, where the next key begins
  int scroll = 0;
  TableRows rows;
};

// nullptr if nothing is selected, or there are no rows.
const PipeRow* selected_row(const TableState& table);

void select(TableState& table, int row);
void move_selection(TableState& table, int lines);

// Makes the rows again, finds the selected pipe, and keeps it on its line of the screen if it can.
void settle(TableState& table, int visible);

// ---- drawing ----

struct PlacedColumn {
  TableColumn what;
  int col = 0, cols = 0;
};

// All that have room; the names of the ends get what is left.
std::vector<PlacedColumn> table_columns(int cols, bool tree);

// Rows of the table itself, below its heading.
int table_rows_in(int rows);

// `now_ns`: CLOCK_MONOTONIC of the snapshot.
void draw_table(const Area& area, const TableState& table, uint64_t now_ns);

}  // namespace pipetop::tui
