#include "engine/model/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pipetop {
namespace {

struct TitledKind {
  Bottleneck::Kind kind;
  std::string_view name;
};
constexpr TitledKind kKindNames[] = {
    {Bottleneck::Kind::unknown, "unknown"},   {Bottleneck::Kind::idle, "idle"},
    {Bottleneck::Kind::stage, "stage"},       {Bottleneck::Kind::outside, "outside"},
    {Bottleneck::Kind::balanced, "balanced"}, {Bottleneck::Kind::bursty, "bursty"},
    {Bottleneck::Kind::deadlock, "deadlock"}, {Bottleneck::Kind::stopped, "stopped"},
};

struct NamedWait {
  WaitsFor wait;
  std::string_view name, does;
};
constexpr NamedWait kWaitNames[] = {
    {WaitsFor::none, "none", "works"},
    {WaitsFor::pipe_read, "pipe_read", "waits for data"},
    {WaitsFor::pipe_write, "pipe_write", "waits for room"},
    {WaitsFor::poll, "poll", "waits in poll"},
    {WaitsFor::disk, "disk", "waits for the disk"},
    {WaitsFor::network, "network", "waits for the network"},
    {WaitsFor::terminal, "terminal", "waits for the terminal"},
    {WaitsFor::sleep, "sleep", "sleeps"},
    {WaitsFor::lock, "lock", "waits for a lock"},
    {WaitsFor::child, "child", "waits for its child"},
    {WaitsFor::signal, "signal", "waits for a signal"},
    {WaitsFor::stopped, "stopped", "is stopped"},
    {WaitsFor::other, "other", "waits for something else"},
};
static_assert(std::size(kWaitNames) == kWaits);

// How many stages the data has been through when it gets to a stage, at most. Stages are in the
// order of the flow, so what goes back closes a circle.
std::vector<size_t> levels_of(const Pipeline& pipeline) {
  std::vector<std::vector<size_t>> before(pipeline.stages.size());
  for (const Pipe& pipe : pipeline.pipes)
    for (const StageEnd& writer : pipe.writers)
      for (const StageEnd& reader : pipe.readers)
        if (writer.active && reader.active && writer.stage < reader.stage &&
            reader.stage < before.size())
          before[reader.stage].push_back(writer.stage);
  std::vector<size_t> levels(before.size());
  for (size_t i = 0; i < before.size(); ++i)
    for (const size_t stage : before[i]) levels[i] = std::max(levels[i], levels[stage] + 1);
  return levels;
}

// Stages that move data, and those that are gone, whose ends are no longer known; all if there are
// none.
std::vector<bool> titled(const Pipeline& pipeline) {
  std::vector<bool> active(pipeline.stages.size());
  for (size_t i = 0; i < active.size(); ++i) active[i] = pipeline.stages[i].gone;
  for (const Pipe& pipe : pipeline.pipes)
    for (const auto* ends : {&pipe.writers, &pipe.readers})
      for (const StageEnd& end : *ends)
        if (end.active && end.stage < active.size()) active[end.stage] = true;
  if (std::ranges::find(active, true) == active.end()) active.assign(active.size(), true);
  return active;
}

}  // namespace

std::string_view name_of(Bottleneck::Kind kind) {
  return std::ranges::find(kKindNames, kind, &TitledKind::kind)->name;
}

std::string_view name_of(WaitsFor wait) {
  return std::ranges::find(kWaitNames, wait, &NamedWait::wait)->name;
}

std::string_view does_of(WaitsFor wait) {
  return std::ranges::find(kWaitNames, wait, &NamedWait::wait)->does;
}

const StageEnd* main_end(const std::vector<StageEnd>& ends) {
  const auto active = std::ranges::find_if(ends, &StageEnd::active);
  if (active != ends.end()) return &*active;
  return ends.empty() ? nullptr : &ends.front();
}

std::vector<size_t> active_stages(const std::vector<StageEnd>& ends) {
  std::vector<size_t> stages;
  for (const StageEnd& end : ends)
    if (end.active && std::ranges::find(stages, end.stage) == stages.end())
      stages.push_back(end.stage);
  return stages;
}

std::string Pipeline::title() const {
  const std::vector<bool> shown = titled(*this);
  // The ends of what has exited are closed and tell its place no longer, but the order does.
  const bool in_a_row = std::ranges::any_of(stages, &Stage::gone);
  const std::vector<size_t> levels = levels_of(*this);
  std::vector<std::vector<std::string_view>> names(stages.size());
  for (size_t i = 0; i < stages.size(); ++i)
    if (shown[i]) names[in_a_row ? i : levels[i]].push_back(stages[i].name);
  std::erase_if(names, [](const auto& level) { return level.empty(); });
  std::vector<std::string> parts;
  for (const auto& level : names) {
    std::string part = fmt::format("{}", fmt::join(level, ", "));
    parts.push_back(level.size() > 1 ? fmt::format("({})", part) : std::move(part));
  }
  return fmt::format("{}", fmt::join(parts, " | "));
}

std::string left_out_text(const std::vector<LeftOut>& left_out) {
  uint64_t ends = 0;
  for (const LeftOut& one : left_out) ends += one.ends;
  const LeftOut& most = *std::ranges::max_element(left_out, {}, &LeftOut::ends);
  const std::string others =
      left_out.size() == 1 ? " holds" : fmt::format(" and {} more hold", left_out.size() - 1);
  return fmt::format("{} ends of pipes are left out: process {}{} too many to list them all", ends,
                     most.process.pid, others);
}

}  // namespace pipetop
