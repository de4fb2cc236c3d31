#include "tui/widgets/pipe_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/pipe_words.h"

namespace pipetop::tui {
namespace {

constexpr std::array<std::string_view, 9> kNames = {"rate", "full",   "empty",  "size",    "queued",
                                                    "age",  "writer", "reader", "pipeline"};

using Number = std::optional<double>;

constexpr int kAny = 1 << 20, kLeastEndCols = 16;

// ---- cells and ranks ----

PipeCell rate_cell(const PipeRow& row, uint64_t) {
  return {pipe_rate_text(row.pipe), value_style(row.pipe.bytes_per_s)};
}
Number rate_rank(const PipeRow& row) {
  return row.pipe.bytes_per_s.has_value() ? Number(*row.pipe.bytes_per_s) : Number();
}

template <double RingLevel::*kShare>
PipeCell share_cell(const PipeRow& row, uint64_t) {
  const auto text = [](const RingLevel& s) { return whole_percent_text(s.*kShare); };
  return {text_of(row.pipe.level, text), value_style(row.pipe.level)};
}
template <double RingLevel::*kShare>
Number share_rank(const PipeRow& row) {
  return row.pipe.level.has_value() ? Number((*row.pipe.level).*kShare) : Number();
}

template <std::optional<uint64_t> Pipe::*kBytes>
PipeCell bytes_cell(const PipeRow& row, uint64_t) {
  const std::optional<uint64_t>& bytes = row.pipe.*kBytes;
  return {size_text(bytes), bytes ? Style::value : Style::dim};
}
template <std::optional<uint64_t> Pipe::*kBytes>
Number bytes_rank(const PipeRow& row) {
  const std::optional<uint64_t>& bytes = row.pipe.*kBytes;
  return bytes ? Number(static_cast<double>(*bytes)) : Number();
}

PipeCell level_cell(const PipeRow& row, uint64_t) {
  return {level_text(row.pipe), row.pipe.queued ? Style::value : Style::dim};
}

// The kernel doesn't say when a pipe was made.
PipeCell age_cell(const PipeRow& row, uint64_t now_ns) {
  const std::string seen = age_text(now_ns - std::min(now_ns, row.pipe.first_seen_ns));
  return {row.pipe.older ? ">" + seen : seen, Style::dim};
}
Number age_rank(const PipeRow& row) { return static_cast<double>(row.pipe.first_seen_ns); }

template <Role kEnd>
PipeCell state_cell(const PipeRow& row, uint64_t) {
  const Stage* stage = stage_at(row, kEnd);
  if (!stage) return {};
  const StateSign sign = sign_of(stage->state, row.pipe.id, kEnd);
  return {std::string(sign.word), sign.style};
}

PipeCell pipe_cell(const PipeRow& row, uint64_t) {
  const Pipe& pipe = row.pipe;
  return {pipe.path.empty() ? std::to_string(pipe.id.inode) : pipe.path, Style::dim};
}

constexpr PipeColumn kColumns[] = {
    {TableColumn::mark, "", 1},
    {TableColumn::writer, "writer", kLeastEndCols, 0, kAny, PipeSort::writer},
    {TableColumn::link, "", 3},
    {TableColumn::reader, "reader", kLeastEndCols, 0, kAny, PipeSort::reader},
    {TableColumn::rate, "rate", 12, 0, kAny, PipeSort::rate, rate_cell, rate_rank},
    {TableColumn::full, "full", 6, 0, kAny, PipeSort::full, share_cell<&RingLevel::full_share>,
     share_rank<&RingLevel::full_share>},
    {TableColumn::empty, "empty", 6, 0, kAny, PipeSort::empty, share_cell<&RingLevel::empty_share>,
     share_rank<&RingLevel::empty_share>},
    {TableColumn::level, "fill", 10, 0, 109, PipeSort::queued, level_cell,
     bytes_rank<&Pipe::queued>},
    {TableColumn::queued, "queued", 9, 110, kAny, PipeSort::queued, bytes_cell<&Pipe::queued>,
     bytes_rank<&Pipe::queued>},
    {TableColumn::size, "size", 8, 110, kAny, PipeSort::size, bytes_cell<&Pipe::capacity>,
     bytes_rank<&Pipe::capacity>},
    {TableColumn::age, "age", 6, 0, kAny, PipeSort::age, age_cell, age_rank},
    {TableColumn::writer_state, "writer state", 13, 120, kAny, {}, state_cell<Role::writer>},
    {TableColumn::reader_state, "reader state", 13, 120, kAny, {}, state_cell<Role::reader>},
    {TableColumn::pipe, "pipe", 12, 140, 179, {}, pipe_cell},
    {TableColumn::pipe, "pipe", 28, 180, kAny, {}, pipe_cell},
};

// ---- order ----

void sort_by_name(std::vector<const PipeRow*>& rows, Role end) {
  const auto name_of = [&](const PipeRow* row) {
    const Stage* stage = stage_at(*row, end);
    return stage ? std::string_view(stage->name) : std::string_view();
  };
  std::ranges::stable_sort(rows, [&](const PipeRow* a, const PipeRow* b) {
    const std::string_view x = name_of(a), y = name_of(b);
    return x.empty() || y.empty() ? y.empty() && !x.empty() : x < y;
  });
}

void sort_by_number(std::vector<const PipeRow*>& rows, PipeSort by) {
  const PipeColumn& column =
      *std::ranges::find_if(kColumns, [&](const PipeColumn& c) { return c.sort == by; });
  // With ten thousand rows this is what takes time, so each is asked once.
  std::vector<std::pair<Number, const PipeRow*>> numbers;
  numbers.reserve(rows.size());
  for (const PipeRow* row : rows) numbers.emplace_back(column.rank(*row), row);
  std::ranges::stable_sort(
      numbers, [](const Number& x, const Number& y) { return x && y ? *x > *y : x && !y; },
      &std::pair<Number, const PipeRow*>::first);
  std::ranges::transform(numbers, rows.begin(), &std::pair<Number, const PipeRow*>::second);
}

void sort_by_pipeline(std::vector<const PipeRow*>& rows) {
  std::map<size_t, double> fastest;
  for (const PipeRow* row : rows) {
    const auto& rate = row->pipe.bytes_per_s;
    double& most = fastest.try_emplace(row->pipeline, -1.0).first->second;
    most = std::max(most, rate.has_value() ? *rate : -1.0);
  }
  std::ranges::stable_sort(rows, [&](const PipeRow* a, const PipeRow* b) {
    return std::pair(-fastest[a->pipeline], a->pipeline) <
           std::pair(-fastest[b->pipeline], b->pipeline);
  });
}

}  // namespace

std::span<const std::string_view> pipe_sort_names() { return kNames; }

std::span<const PipeColumn> pipe_columns() { return kColumns; }

const PipeColumn& pipe_column(TableColumn what) {
  return *std::ranges::find(kColumns, what, &PipeColumn::what);
}

PipeSort next_sort(PipeSort from, int step) {
  std::vector<PipeSort> sorts;
  for (const PipeColumn& column : kColumns)
    if (column.sort && (sorts.empty() || sorts.back() != *column.sort))
      sorts.push_back(*column.sort);
  const auto count = static_cast<int>(sorts.size());
  const auto at = static_cast<int>(std::ranges::find(sorts, from) - sorts.begin()) % count;
  return sorts[static_cast<size_t>((at + step + count) % count)];
}

void sort_pipes(std::vector<const PipeRow*>& rows, PipeSort by) {
  if (by == PipeSort::writer || by == PipeSort::reader)
    sort_by_name(rows, by == PipeSort::writer ? Role::writer : Role::reader);
  else if (by == PipeSort::pipeline)
    sort_by_pipeline(rows);
  else
    sort_by_number(rows, by);
}

bool pipe_matches(const PipeRow& row, std::string_view text) {
  if (contains(row.pipe.path, text)) return true;
  return std::ranges::any_of(row.stages, [&](const Stage& stage) {
    return contains(stage.name, text) || contains(stage.command, text) ||
           contains(fmt::format("{}", stage.id.pid), text);
  });
}

std::vector<const PipeRow*> pipes_shown(std::span<const PipeRow> rows, PipeSort by,
                                        std::string_view filter) {
  std::vector<const PipeRow*> shown;
  for (const PipeRow& row : rows)
    if (pipe_matches(row, filter)) shown.push_back(&row);
  sort_pipes(shown, by);
  return shown;
}

}  // namespace pipetop::tui
