#include "tui/widgets/pipe_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

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
  const auto& files = end == Role::writer ? pipe.kernel_writers : pipe.kernel_readers;
  return files == 0u ? "closed" : "unknown";
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

std::span<const SignMeaning> state_signs() {
  static constexpr SignMeaning kSigns[] = {
      {"R", "running", Style::good},        {"r", "runnable", Style::mark},
      {"B", "blocked here", Style::reader}, {"b", "blocked in another pipe", Style::dim},
      {"-", "elsewhere", Style::dim},       {"T", "stopped", Style::warning}};
  return kSigns;
}

std::string name_of(const Pipe& pipe) {
  return pipe.path.empty() ? fmt::format("pipe {}", pipe.id.inode) : pipe.path;
}

std::string pipe_rate_text(const Pipe& pipe) {
  return text_of(pipe.bytes_per_s,
                 [&](double rate) { return (pipe.exact ? "" : "~") + byte_rate_text(rate); });
}

std::string level_text(const Pipe& pipe) {
  const auto text = [](const std::optional<uint64_t>& bytes) {
    return bytes ? short_bytes_text(static_cast<double>(*bytes)) : std::string("?");
  };
  return text(pipe.queued) + "/" + text(pipe.capacity);
}

std::optional<double> used_share_of(const Pipe& pipe) {
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
    const Stage& stage = stages[holder.stage];
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", stage.name, stage.id.pid);
  }
  return text.empty() ? (nobody(pipe, end) == "closed" ? "nobody" : "unknown") : text;
}

Elsewhere elsewhere_of(const StageShares& shares) {
  const auto most = std::ranges::max_element(shares.elsewhere);
  double all = 0;
  for (const double share : shares.elsewhere) all += share;
  const auto wait = static_cast<WaitsFor>(most - shares.elsewhere.begin());
  return {*most > 0 ? wait : WaitsFor::other, *most, all - *most};
}

}  // namespace pipetop::tui
