// The table of all pipes: its columns, which rows are shown, and in which order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/pipeline.h"
#include "tui/draw/style.h"

namespace pipetop::tui {

// The column that the table is sorted by.
enum class PipeSort : uint8_t { rate, full, empty, size, queued, age, writer, reader, pipeline };

// By PipeSort, as --sort takes them.
std::span<const std::string_view> pipe_sort_names();

// In this order from left to right.
enum class TableColumn : uint8_t {
  mark,  // new or ended; in a tree also the bracket
  writer,
  link,  // an arrow, or what kind of pipe it is
  reader,
  writer_state,  // in words; else there is a sign before the name
  reader_state,
  rate,
  full,
  empty,
  level,   // bytes in it, and its size
  queued,  // the two of them apart
  size,
  age,
  pipe,  // its number or path
};

struct PipeCell {
  std::string text;
  Ink ink = Style::value;
};

struct PipeColumn {
  TableColumn what;
  std::string_view heading;
  int cols;                                 // with the gap before it; of the ends, the least
  int least_cols = 0, most_cols = 1 << 20;  // of a screen that has it
  std::optional<PipeSort> sort = {};
  // `now_ns`: CLOCK_MONOTONIC. Null: what it shows depends on its row's place and the room.
  PipeCell (*cell)(const PipeRow& row, uint64_t now_ns) = nullptr;
  // A number, at the right; rows with the highest are first. Nothing: it is not known.
  std::optional<double> (*rank)(const PipeRow& row) = nullptr;
};

// From what is needed most to what is left out first.
std::span<const PipeColumn> pipe_columns();
const PipeColumn& pipe_column(TableColumn what);

// The next column that the table can be sorted by, or the one before.
PipeSort next_sort(PipeSort from, int step);

// Most first, youngest first, names from A to Z; what is not known comes last. Pipelines stay
// together under `pipeline`: the one with the fastest pipe first, each in its own order. Of equal
// rows, the order that they came in.
void sort_pipes(std::vector<const PipeRow*>& rows, PipeSort by);

// Whether one of its processes, by name, command line or pid, or the path of the FIFO contains
// `text`, in upper or lower case.
bool pipe_matches(const PipeRow& row, std::string_view text);

// Those that match, sorted.
std::vector<const PipeRow*> pipes_shown(std::span<const PipeRow> rows, PipeSort by,
                                        std::string_view filter);

}  // namespace pipetop::tui
