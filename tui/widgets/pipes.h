// The pipes of other programs: what is said of them and of the processes at their ends, in words
// and signs; and the table of them: its columns, which rows are shown, and in which order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/pipeline.h"
#include "engine/model/settings.h"
#include "tui/draw/style.h"

namespace pipetop::tui {

// A sign for narrow columns, of which kStateSigns is the legend, and a word of at most 10 columns.
struct StateSign {
  std::string_view sign, word;
  Style style = Style::plain;
};

// At an end of the pipe `here`.
StateSign sign_of(const StageState& state, PipeId here, Role end);

// On its own: "reading", "writing" for whatever pipe it is blocked in.
StateSign sign_of(const StageState& state);

// Whoever nobody has put anywhere is in the root.
bool has_name(std::string_view cgroup);

// "quota 0.5 CPU, throttled 63 % of periods", and shorter; of several cgroups the quota that
// counts.
// "" if it has none, or that isn't known.
std::array<std::string, 3> quota_texts(const Stage& stage);
Style quota_style(const Stage& stage);  // a warning if it is throttled

struct SignMeaning {
  std::string_view sign, meaning;
  Style style;
};
std::span<const SignMeaning> state_signs();

// "pipe", "FIFO", "unix", "TCP"
std::string_view kind_of(const Pipe& pipe);

// "/tmp/backup.fifo", "pipe 81234", "TCP 10.0.0.2:9000", "unix /run/a.sock".
std::string name_of(const Pipe& pipe);

// "gzip 4002", its name and pid.
std::string name_of(const Stage& stage);

// "~1.23 GiB/s": an estimate; "…" while it is not known yet, "n/a" if it can't be.
std::string pipe_rate_text(const Pipe& pipe);
std::string pipe_total_text(const Pipe& pipe);  // "~906 MiB", or "?"
// How far off the estimate may be: "within 1 %", "-2 to +3 %"; "" if it is none, or nobody knows.
std::string range_text(const Pipe& pipe);

// "62K/64K", the bytes in it and its capacity; what is not known is "?".
std::string level_text(const Pipe& pipe);

// How much of it is used: of its slots if they are known, else of its bytes.
std::optional<double> used_share_of(const Pipe& pipe);

// "64 KiB", or "?".
std::string size_text(const std::optional<uint64_t>& bytes);

// The writers or the readers of a pipe.
const std::vector<StageEnd>& ends_of(const Pipe& pipe, Role end);

// The row's stage that moves data at this end, else that holds it; null if there is none.
const Stage* stage_at(const PipeRow& row, Role end);

// "tar 1234:1 +2": its name, pid and descriptor, and how many other processes are at this end. The
// name is shortened, or is the whole command line if there is room. "(bash 1200:1)": it never moved
// a byte. "closed" if there is none.
std::string end_text(const Pipe& pipe, std::span<const Stage> stages, Role end, int cols);

// The name, shortened if need be, and all of the rest.
std::string shortened(std::string_view name, std::string_view rest, int cols);

// All of them by name and pid: "yes 4001, seq 4002"; "nobody" if there is none.
std::string ends_text(const Pipe& pipe, std::span<const Stage> stages, Role end);

// Where most of its time goes that is neither a CPU's nor a pipe's, if that is known.
struct Elsewhere {
  WaitsFor wait = WaitsFor::other;
  double share = 0, rest = 0;  // of it, and of all others together
};
Elsewhere elsewhere_of(const StageShares& shares);

// ---- a tree of processes ----

// Of the time that the root was there.
double time_share(const TreeRow& row, const ProcessTreeView& tree);

// "bottleneck xz, 82 % of 23.1 s"; "" if none is known.
std::string bottleneck_text(const TreeRow& row, const ProcessTreeView& tree);

// ---- the table of all pipes ----

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
  cgroup,  // of the writer, and of the reader if it is in another
  pipe,    // its number or path
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

// Whether one of its processes, by name, command line, pid or cgroup, the path of the FIFO, or the
// name of the socket contains `text`, in upper or lower case.
bool pipe_matches(const PipeRow& row, std::string_view text);

// Those that match, sorted.
std::vector<const PipeRow*> pipes_shown(std::span<const PipeRow> rows, PipeSort by,
                                        std::string_view filter);

}  // namespace pipetop::tui
