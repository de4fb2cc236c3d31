#include "engine/model/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/enumerator.h"
#include "engine/model/snapshot.h"

namespace pipetop {
namespace {

constexpr std::string_view kKindNames[] = {
    "writer-bound", "reader-bound", "lock-bound", "wakeup-bound", "cpu-bound", "unknown", "idle",
    "stage",        "outside",      "balanced",   "bursty",       "deadlock",  "stopped"};
static_assert(std::size(kKindNames) == kVerdictKinds &&
                  !is_enumerator<Verdict::Kind(kVerdictKinds)>(),
              "each kind has a name");

struct WaitNames {
  WaitsFor wait;
  std::string_view name, does;
};
constexpr WaitNames kWaitNames[] = {
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
    {WaitsFor::other, "other", "is blocked elsewhere"},
};
static_assert(std::size(kWaitNames) == kWaits && !is_enumerator<WaitsFor(kWaits)>() &&
                  std::ranges::is_sorted(kWaitNames, {}, &WaitNames::wait),
              "each wait has names");

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

// Stages that move data, and those that are gone and whose ends are no longer known; all if there
// are none.
std::vector<bool> titled(const Pipeline& pipeline) {
  std::vector<bool> active(pipeline.stages.size()), idle(pipeline.stages.size());
  for (const Pipe& pipe : pipeline.pipes)
    for (const auto* ends : {&pipe.writers, &pipe.readers})
      for (const StageEnd& end : *ends)
        if (end.stage < active.size()) (end.active ? active : idle)[end.stage] = true;
  for (size_t i = 0; i < active.size(); ++i)
    if (pipeline.stages[i].gone && !idle[i]) active[i] = true;
  if (std::ranges::find(active, true) == active.end()) active.assign(active.size(), true);
  return active;
}

template <class To, class From>
Reading<To> converted(const Reading<From>& from, To (*convert)(const From&)) {
  Reading<To> to = {from.status, {}, from.reason};
  if (from.has_value()) to.value = convert(*from);
  return to;
}

// A writer only ever sleeps for room, a reader for data.
Reading<StageShares> shares_of(const WorkerReadings& worker) {
  for (const auto* share : {&worker.shares.on_cpu, &worker.shares.runnable, &worker.shares.blocked})
    if (!share->has_value()) return {share->status, {}, share->reason};
  StageShares shares;
  shares.on_cpu = *worker.shares.on_cpu;
  shares.runnable = *worker.shares.runnable;
  (worker.role == Role::writer ? shares.writing : shares.reading) = *worker.shares.blocked;
  shares.cpu = shares.on_cpu * worker.processes;
  return Reading<StageShares>::of(shares);
}

Stage stage_of(const WorkerReadings& worker) {
  Stage stage;
  stage.id.pid = worker.pid;
  stage.name = worker.name;
  stage.command = fmt::format("{}", fmt::join(worker.technique, ", "));
  stage.threads = static_cast<uint32_t>(worker.processes);  // each has one
  stage.shares = shares_of(worker);
  stage.cpu =
      converted<double, StageShares>(stage.shares, [](const StageShares& s) { return s.cpu; });
  if (worker.last_cpu.has_value()) stage.cpus = {*worker.last_cpu};
  stage.functions = worker.functions;
  if (!stage.shares.has_value()) return stage;
  const double waits = stage.shares->reading + stage.shares->writing;
  if (stage.shares->on_cpu >= waits)
    stage.state = {StageState::Kind::running, WaitsFor::none, {}};
  else
    stage.state.wait = worker.role == Role::writer ? WaitsFor::pipe_write : WaitsFor::pipe_read;
  return stage;
}

StageEnd end_of(const Stage& stage, size_t number, int fd, Access access) {
  StageEnd end;
  end.end.process = stage.id;
  end.end.fd = fd;
  end.end.access = access;
  end.stage = number;
  return end;
}

// How full it was on average, column by column. The first bin is an empty ring, the last a full
// one.
Series<RatePoint> fill_of(const RingReadings& ring) {
  Series<RatePoint> fill;
  if (!ring.history) return fill;
  constexpr double kInner = kOccupancyBins - 2;
  for (const OccupancyColumn& column : ring.history->columns) {
    double counted = 0, used = column.count.back();
    for (const uint16_t count : column.count) counted += count;
    for (size_t bin = 1; bin + 1 < column.count.size(); ++bin)
      used += column.count[bin] * (static_cast<double>(bin) - 0.5) / kInner;
    if (counted > 0) fill.push_back({column.end_ns, used / counted});
  }
  return fill;
}

Pipe pipe_between(const std::vector<Stage>& stages, const Snapshot& s, double unit) {
  Pipe pipe;
  pipe.writers = {end_of(stages.front(), 0, 1, Access::write)};
  pipe.readers = {end_of(stages.back(), stages.size() - 1, 0, Access::read)};
  pipe.capacity = s.ring.bytes;
  pipe.frame = s.ring.frame;
  pipe.level = converted<RingLevel, Occupancy>(
      s.ring.occupancy, [](const Occupancy& o) { return static_cast<RingLevel>(o); });
  pipe.bytes_per_s = s.throughput.over_1s;
  if (pipe.bytes_per_s.has_value()) *pipe.bytes_per_s.value *= unit;
  pipe.exact = true;
  pipe.total_bytes = s.throughput.total_items;
  pipe.rates = s.throughput.history;
  pipe.fill = fill_of(s.ring);
  return pipe;
}

Verdict verdict_of(const Snapshot& s, const std::vector<Stage>& stages) {
  if (!s.verdict.has_value()) return {.because = s.verdict.reason};
  Verdict verdict = *s.verdict;
  if (verdict.kind == Verdict::Kind::writer) verdict.stage = stages.front().id;
  if (verdict.kind == Verdict::Kind::reader) verdict.stage = stages.back().id;
  return verdict;
}

}  // namespace

Pipeline pipeline_of(const Snapshot& s, double unit) {
  if (s.watched) return *s.watched;
  Pipeline pipeline;
  for (const WorkerReadings& worker : s.workers)
    if (!worker.name.empty()) pipeline.stages.push_back(stage_of(worker));
  pipeline.window_ns = 1'000'000'000;  // as of a worker's rates
  if (pipeline.stages.empty()) return pipeline;
  pipeline.verdict = verdict_of(s, pipeline.stages);
  if (pipeline.stages.size() > 1 && s.effective.pipe.bytes > 0)
    pipeline.pipes.push_back(pipe_between(pipeline.stages, s, unit));
  return pipeline;
}

std::string_view StageThread::role() const {
  constexpr double kComputes = 0.1;  // from which share of its time on a CPU
  if (reads || writes) return !writes ? "reads" : reads ? "reads, writes" : "writes";
  if (!shares.has_value()) return "";
  return shares->on_cpu + shares->runnable >= kComputes ? "computes" : "waits";
}

std::string_view name_of(Verdict::Kind kind) { return kKindNames[size_t(kind)]; }

std::string_view name_of(WaitsFor wait) { return kWaitNames[size_t(wait)].name; }

std::string_view does_of(WaitsFor wait) { return kWaitNames[size_t(wait)].does; }

std::string lock_text(const PipeLock& lock) {
  if (lock.holder.pid == 0) return "locked";
  return fmt::format("locked: a {} of {} ({}) holds it", lock.call, lock.holder.pid, lock.name);
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

std::string Pipeline::name_at(const std::vector<StageEnd>& ends) const {
  const StageEnd* const end = main_end(ends);
  return end ? stages[end->stage].name : "";
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
  return fmt::format("{} pipe ends are left out: process {}{} too many", ends, most.process.pid,
                     others);
}

}  // namespace pipetop
