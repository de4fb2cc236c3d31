#include "tui/state/pipe_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace pipetop::tui {
namespace {

constexpr std::array<std::string_view, 9> kNames = {"rate", "full",   "empty",  "size",    "queued",
                                                    "age",  "writer", "reader", "pipeline"};

// Sorts by it in ascending order.
using Number = std::optional<double>;

Number descending(const std::optional<uint64_t>& value) {
  return value ? Number(-double(*value)) : Number();
}

Number number_of(const PipeRow& row, PipeSort by) {
  const Pipe& pipe = row.pipe;
  const auto share = [&](double RingShares::*part) {
    return pipe.shares.has_value() ? Number(-((*pipe.shares).*part)) : Number();
  };
  switch (by) {
    case PipeSort::full:
      return share(&RingShares::full);
    case PipeSort::empty:
      return share(&RingShares::empty);
    case PipeSort::size:
      return descending(pipe.capacity);
    case PipeSort::queued:
      return descending(pipe.queued);
    case PipeSort::age:
      return descending(pipe.first_seen_ns);
    default:
      return pipe.bytes_per_s.has_value() ? Number(-*pipe.bytes_per_s) : Number();
  }
}

// Whoever moves its data before who only holds an end.
std::string_view holder_of(const PipeRow& row, const std::vector<StageEnd>& ends) {
  const StageEnd* end = main_end(ends);
  return !end || end->stage >= row.stages.size() ? std::string_view() : row.stages[end->stage].name;
}

// What is not known comes last.
template <class Value>
bool is_before(const Value& a, const Value& b, bool a_known, bool b_known) {
  return a_known && b_known ? a < b : a_known && !b_known;
}

void sort_by_name(std::vector<const PipeRow*>& rows, std::vector<StageEnd> Pipe::*ends) {
  std::ranges::stable_sort(rows, [&](const PipeRow* a, const PipeRow* b) {
    const std::string_view x = holder_of(*a, a->pipe.*ends), y = holder_of(*b, b->pipe.*ends);
    return is_before(x, y, !x.empty(), !y.empty());
  });
}

void sort_by_number(std::vector<const PipeRow*>& rows, PipeSort by) {
  // Of ten thousand rows this is what takes time, so each is asked once.
  std::vector<std::pair<Number, const PipeRow*>> numbers;
  numbers.reserve(rows.size());
  for (const PipeRow* row : rows) numbers.emplace_back(number_of(*row, by), row);
  std::ranges::stable_sort(
      numbers,
      [](const Number& x, const Number& y) {
        return is_before(x, y, x.has_value(), y.has_value());
      },
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

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  };
  return part.empty() ||
         std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

std::span<const std::string_view> pipe_sort_names() { return kNames; }

void sort_pipes(std::vector<const PipeRow*>& rows, PipeSort by) {
  if (by == PipeSort::writer || by == PipeSort::reader)
    sort_by_name(rows, by == PipeSort::writer ? &Pipe::writers : &Pipe::readers);
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
