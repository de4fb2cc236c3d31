#include "tui/widgets/pipes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "tui/draw/numbers.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr int kLeastNameCols = 4;

// What is the same wherever it is shown. Nothing: it waits for a pipe.
std::optional<StateSign> common_style(const StageState& state) {
  switch (state.kind) {
    case StageState::Kind::running:
      return StateSign{"R", "running", Style::good};
    case StageState::Kind::runnable:
      return StateSign{"r", "runnable", Style::mark};
    case StageState::Kind::zombie:
      return StateSign{"Z", "zombie", Style::error};
    case StageState::Kind::waiting:
      break;
  }
  if (state.wait == WaitsFor::pipe_read || state.wait == WaitsFor::pipe_write) return std::nullopt;
  if (state.wait == WaitsFor::stopped) return StateSign{"T", "stopped", Style::warning};
  const bool unknown = state.wait == WaitsFor::none || state.wait == WaitsFor::other;
  return StateSign{"-", unknown ? "elsewhere" : name_of(state.wait), Style::dim};
}

size_t count_processes(const std::vector<StageEnd>& ends) {
  std::set<ProcessId> processes;
  for (const StageEnd& end : ends)
    if (end.active) processes.insert(end.end.process);
  return std::max<size_t>(processes.size(), 1);
}

// Nobody is seen: is there nobody?
std::string_view nobody(const Pipe& pipe, Role end) {
  if (pipe.socket && pipe.socket->tcp) return pipe.socket->name;
  const auto& files = end == Role::writer ? pipe.kernel_writers : pipe.kernel_readers;
  return files == 0u ? "closed" : "unknown";
}

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

constexpr std::string_view kLocked = "locked";

template <std::optional<uint64_t> Pipe::*kBytes>
PipeCell bytes_cell(const PipeRow& row, uint64_t) {
  const std::optional<uint64_t>& bytes = row.pipe.*kBytes;
  if (!bytes && row.pipe.lock) return {std::string(kLocked), Style::warning};
  return {size_text(bytes), bytes ? Style::value : Style::dim};
}
template <std::optional<uint64_t> Pipe::*kBytes>
Number bytes_rank(const PipeRow& row) {
  const std::optional<uint64_t>& bytes = row.pipe.*kBytes;
  return bytes ? Number(static_cast<double>(*bytes)) : Number();
}

PipeCell level_cell(const PipeRow& row, uint64_t) {
  if (!row.pipe.queued && row.pipe.lock) return {std::string(kLocked), Style::warning};
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
  std::string name = pipe.path.empty() ? std::to_string(pipe.id.inode) : pipe.path;
  if (pipe.lock) return {fmt::format("{} {}", name, lock_text(*pipe.lock)), Style::warning};
  return {std::move(name), Style::dim};
}

PipeCell cgroup_cell(const PipeRow& row, uint64_t) {
  std::string text, last;
  for (const Role end : kBothRoles) {
    const Stage* stage = stage_at(row, end);
    if (!stage || !has_name(stage->cgroup) || stage->cgroup == last) continue;
    last = stage->cgroup;
    text += (text.empty() ? "" : ", ") + last;
  }
  return {text, Style::dim};
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
    {TableColumn::cgroup, "cgroup", 22, 150, kAny, {}, cgroup_cell},
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

const std::vector<StageEnd>& ends_of(const Pipe& pipe, Role end) {
  return end == Role::writer ? pipe.writers : pipe.readers;
}

const Stage* stage_at(const PipeRow& row, Role end) {
  const StageEnd* main = main_end(ends_of(row.pipe, end));
  return main && main->stage < row.stages.size() ? &row.stages[main->stage] : nullptr;
}

StateSign sign_of(const StageState& state, PipeId here, Role end) {
  if (const auto look = common_style(state)) return *look;
  if (state.pipe && *state.pipe != here) return {"b", "other pipe", Style::dim};
  return {"B", "blocked", style_of(end)};
}

StateSign sign_of(const StageState& state) {
  if (const auto look = common_style(state)) return *look;
  return state.wait == WaitsFor::pipe_read ? StateSign{"B", "reading", Style::reader}
                                           : StateSign{"B", "writing", Style::writer};
}

bool has_name(std::string_view cgroup) { return !cgroup.empty() && cgroup != "/"; }

std::array<std::string, 3> quota_texts(const Stage& stage) {
  if (!stage.quota_cpus) return {};
  const auto& quota = stage.limits.quota;
  const bool stopped = quota && quota->share > 0;
  const std::string cpus =
      fmt::format("quota {:.3g} CPU", stopped ? quota->cpus : *stage.quota_cpus);
  if (!quota) return {cpus, cpus, cpus};
  const std::string share = "throttled " + whole_percent_text(quota->share);
  return {fmt::format("{}, {} of periods", cpus, share), fmt::format("{}, {}", cpus, share),
          stopped ? share : cpus};
}

Style quota_style(const Stage& stage) {
  return stage.limits.quota && stage.limits.quota->share > 0 ? Style::warning : Style::value;
}

std::span<const SignMeaning> state_signs() {
  static constexpr SignMeaning kSigns[] = {
      {"R", "running", Style::good},        {"r", "runnable", Style::mark},
      {"B", "blocked here", Style::reader}, {"b", "blocked in another pipe", Style::dim},
      {"-", "elsewhere", Style::dim},       {"T", "stopped", Style::warning}};
  return kSigns;
}

std::string name_of(const Pipe& pipe) {
  if (pipe.socket && !pipe.socket->name.empty())
    return fmt::format("{} {}", kind_of(pipe), pipe.socket->name);
  if (pipe.socket) return fmt::format("{} {}", kind_of(pipe), pipe.id.inode);
  return pipe.path.empty() ? fmt::format("pipe {}", pipe.id.inode) : pipe.path;
}

std::string_view kind_of(const Pipe& pipe) {
  if (pipe.socket) return pipe.socket->tcp ? "TCP" : "unix";
  return pipe.path.empty() ? "pipe" : "FIFO";
}

std::string name_of(const Stage& stage) { return fmt::format("{} {}", stage.name, stage.id.pid); }

std::string pipe_rate_text(const Pipe& pipe) {
  return text_of(pipe.bytes_per_s,
                 [&](double rate) { return (pipe.exact ? "" : "~") + byte_rate_text(rate); });
}

std::string pipe_total_text(const Pipe& pipe) {
  return (pipe.exact || !pipe.total_bytes ? "" : "~") + size_text(pipe.total_bytes);
}

std::string range_text(const Pipe& pipe) {
  if (!pipe.range) return {};
  const double below = 100 * (1 - pipe.range->low), above = 100 * (pipe.range->high - 1);
  if (std::max(below, above) < 1) return "within 1 %";
  return fmt::format("-{:.0f} to +{:.0f} %", below, above);
}

std::string level_text(const Pipe& pipe) {
  const auto text = [](const std::optional<uint64_t>& bytes) {
    return bytes ? short_bytes_text(static_cast<double>(*bytes)) : std::string("?");
  };
  return text(pipe.queued) + "/" + text(pipe.capacity);
}

std::optional<double> used_share_of(const Pipe& pipe) {
  if (pipe.socket && pipe.socket->memory > 0)
    return std::min(1.0, double(pipe.socket->used) / double(pipe.socket->memory));
  if (pipe.ring && pipe.ring->slots > 0)
    return static_cast<double>(pipe.ring->used()) / pipe.ring->slots;
  if (!pipe.queued || !pipe.capacity || *pipe.capacity == 0) return std::nullopt;
  return static_cast<double>(*pipe.queued) / static_cast<double>(*pipe.capacity);
}

std::string size_text(const std::optional<uint64_t>& bytes) {
  return bytes ? bytes_text(static_cast<double>(*bytes)) : "?";
}

std::string end_text(const Pipe& pipe, std::span<const Stage> stages, Role end, int cols) {
  const StageEnd* main = main_end(ends_of(pipe, end));
  if (!main || main->stage >= stages.size()) return std::string(nobody(pipe, end));
  const Stage& stage = stages[main->stage];
  if (!main->active)
    return shortened("(" + stage.name, fmt::format(" {}:{})", stage.id.pid, main->end.fd), cols);
  std::string rest = fmt::format(" {}:{}", stage.id.pid, main->end.fd);
  const size_t others = count_processes(ends_of(pipe, end)) - 1;
  if (others > 0) rest += fmt::format(" +{}", others);
  const int room = cols - columns_of(rest);
  if (!stage.command.empty() && columns_of(stage.command) <= room) return stage.command + rest;
  return room < kLeastNameCols ? stage.name : shortened(stage.name, rest, cols);
}

std::string shortened(std::string_view name, std::string_view rest, int cols) {
  const int room = cols - columns_of(rest);
  if (columns_of(name) <= room) return std::string(name) + std::string(rest);
  return std::string(beginning(name, std::max(room - 1, 1))) + "…" + std::string(rest);
}

std::string ends_text(const Pipe& pipe, std::span<const Stage> stages, Role end) {
  std::string text;
  std::set<size_t> said;
  for (const StageEnd& holder : ends_of(pipe, end)) {
    if (!holder.active || holder.stage >= stages.size() || !said.insert(holder.stage).second)
      continue;
    text += (text.empty() ? "" : ", ") + name_of(stages[holder.stage]);
  }
  if (!text.empty()) return text;
  const std::string_view instead = nobody(pipe, end);
  return instead == "closed" ? "nobody" : std::string(instead);
}

Elsewhere elsewhere_of(const StageShares& shares) {
  const auto most = std::ranges::max_element(shares.elsewhere);
  double all = 0;
  for (const double share : shares.elsewhere) all += share;
  const auto wait = static_cast<WaitsFor>(most - shares.elsewhere.begin());
  return {*most > 0 ? wait : WaitsFor::other, *most, all - *most};
}

double time_share(const TreeRow& row, const ProcessTreeView& tree) {
  return tree.length_ns == 0 ? 0 : std::min(1.0, double(row.ran_ns) / double(tree.length_ns));
}

std::string bottleneck_text(const TreeRow& row, const ProcessTreeView& tree) {
  if (row.bottleneck.empty() || tree.length_ns == 0) return {};
  return fmt::format("bottleneck {}, {} of {}", row.bottleneck,
                     whole_percent_text(double(row.bottleneck_ns) / double(tree.length_ns)),
                     seconds_text(tree.length_ns));
}

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
  if (row.pipe.socket && contains(name_of(row.pipe), text)) return true;
  return std::ranges::any_of(row.stages, [&](const Stage& stage) {
    return contains(stage.name, text) || contains(stage.command, text) ||
           contains(stage.cgroup, text) || contains(fmt::format("{}", stage.id.pid), text);
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
