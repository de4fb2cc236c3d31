#include "engine/watch/process_tree.h"

#include <algorithm>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/graph_order.h"
#include "engine/base/text.h"

namespace pipetop {
namespace {

constexpr uint64_t kEvery_ns = 100 * kMs;
constexpr size_t kDeepest = 64;  // what is deeper isn't listed

}  // namespace

ProcessTree::ProcessTree(const WatchParts& parts, ProcessId root) : parts_(parts) {
  add(root.pid, kRoot, parts.now_ns());
}

bool ProcessTree::add(pid_t pid, size_t parent, uint64_t now_ns) {
  const auto stat = parts_.read_stat(pid);
  if (!stat || stat->is_zombie()) return false;
  if (processes_.size() >= kMost) {
    ++left_out_;
    return false;
  }
  const uint64_t start_ns = stat->start_ticks * ns_per_tick(), boot_ns = parts_.boot_ns();
  const uint64_t age_ns = boot_ns - std::min(boot_ns, start_ns);
  Process& process = processes_.emplace_back();
  process.id = {pid, stat->start_ticks};
  process.parent = parent;
  process.span = {now_ns - std::min(now_ns, age_ns), now_ns};
  children_.emplace_back();
  if (parent != kRoot) children_[parent].push_back(processes_.size() - 1);
  living_[pid] = processes_.size() - 1;
  return update(process, now_ns);
}

// False: it has ended.
bool ProcessTree::update(Process& process, uint64_t now_ns) {
  const auto stat = parts_.read_stat(process.id.pid);
  const bool is_same = stat && stat->start_ticks == process.id.start_ticks;
  if (is_same) {
    const uint64_t cpu_ns = stat->cpu_ticks * ns_per_tick();
    const uint64_t before_ns = std::max(looked_ns_, process.span.begin_ns);
    if (now_ns > before_ns)
      process.cpus = double(cpu_ns - std::min(process.cpu_ns, cpu_ns)) / double(now_ns - before_ns);
    process.cpu_ns = std::max(process.cpu_ns, cpu_ns);
    std::string name = one_line(stat->comm());
    // A program that has just begun has its name before its words.
    if (name != process.name || process.command.empty())
      process.command = parts_.read_facts(process.id.pid).command;
    process.name = std::move(name);
  }
  process.lives = is_same && !stat->is_zombie();
  if (process.lives) process.span.end_ns = now_ns;
  return process.lives;
}

void ProcessTree::look(uint64_t now_ns, bool at_once) {
  if (!at_once && !pace_.is_due(now_ns, kEvery_ns)) return;
  const uint64_t began_ns = parts_.cpu_ns();
  std::vector<size_t> all;  // and those that are found on the way
  for (const auto& entry : living_) all.push_back(entry.second);
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t number = all[i];
    const pid_t pid = processes_[number].id.pid;
    if (!update(processes_[number], now_ns)) {
      processes_[number].cpus = 0;
      living_.erase(pid);
      continue;
    }
    for (const pid_t child : parts_.children_of(pid))
      if (!living_.contains(child) && add(child, number, now_ns))
        all.push_back(processes_.size() - 1);
  }
  looked_ns_ = now_ns;
  pace_.looked(now_ns, parts_.cpu_ns() - began_ns);
}

void ProcessTree::connect(const Pipeline& seen) {
  const auto place_of = [&](size_t stage) {
    const auto found = living_.find(seen.stages[stage].id.pid);
    const bool is_it =
        found != living_.end() && processes_[found->second].id == seen.stages[stage].id;
    return is_it ? found->second : kRoot;
  };
  for (const Pipe& pipe : seen.pipes)
    for (const size_t writer : active_stages(pipe.writers))
      for (const size_t reader : active_stages(pipe.readers)) {
        const size_t from = place_of(writer), to = place_of(reader);
        if (from == kRoot || to == kRoot || from == to) continue;
        std::vector<size_t>& writes_to = processes_[from].writes_to;
        if (std::ranges::find(writes_to, to) == writes_to.end()) writes_to.push_back(to);
      }
}

void ProcessTree::blame(std::span<const ProcessId> stages, uint64_t now_ns) {
  const uint64_t ns = blamed_ns_ == 0 ? 0 : now_ns - std::min(now_ns, blamed_ns_);
  blamed_ns_ = now_ns;
  for (const ProcessId stage : stages)
    if (const auto found = living_.find(stage.pid);
        found != living_.end() && processes_[found->second].id == stage)
      processes_[found->second].blamed_ns += ns;
}

// One process, or those that write to each other.
ProcessTree::Unit ProcessTree::unit_of(std::vector<size_t> members) const {
  std::map<size_t, size_t> place;
  for (size_t i = 0; i < members.size(); ++i) place[members[i]] = i;
  Pipeline pipeline;
  for (const size_t member : members) {
    Stage& stage = pipeline.stages.emplace_back();
    stage.id = processes_[member].id;
    stage.name = processes_[member].name;
  }
  std::vector<std::vector<size_t>> arrows(members.size());
  for (size_t i = 0; i < members.size(); ++i)
    for (const size_t to : processes_[members[i]].writes_to)
      if (const auto found = place.find(to); found != place.end())
        arrows[i].push_back(found->second);
  Unit unit;
  std::vector<Stage> ordered;
  std::vector<size_t> position(members.size());
  for (const size_t i : graph_order(arrows, members.size())) {
    position[i] = ordered.size();
    ordered.push_back(std::move(pipeline.stages[i]));
    unit.members.push_back(members[i]);
  }
  pipeline.stages = std::move(ordered);
  for (size_t i = 0; i < members.size(); ++i)
    for (const size_t to : arrows[i]) {
      Pipe& pipe = pipeline.pipes.emplace_back();
      pipe.writers.push_back({.end = {}, .stage = position[i], .active = true, .bytes = {}});
      pipe.readers.push_back({.end = {}, .stage = position[to], .active = true, .bytes = {}});
    }
  unit.is_pipeline = members.size() > 1;
  unit.name = unit.is_pipeline ? pipeline.title() : processes_[members[0]].name;
  unit.runs = 1;
  return unit;
}

// In the order in which they began.
std::vector<ProcessTree::Unit> ProcessTree::units_of(std::span<const size_t> siblings) const {
  std::map<size_t, uint32_t> place;
  for (uint32_t i = 0; i < siblings.size(); ++i) place[siblings[i]] = i;
  Joined joined(siblings.size());
  for (const size_t sibling : siblings)
    for (const size_t to : processes_[sibling].writes_to)
      if (const auto found = place.find(to); found != place.end())
        joined.join(place[sibling], found->second);
  std::map<uint32_t, std::vector<size_t>> parts;
  for (uint32_t i = 0; i < siblings.size(); ++i) parts[joined.root(i)].push_back(siblings[i]);
  std::vector<Unit> units;
  std::map<std::string, size_t> by_name;
  for (auto& entry : parts) {
    Unit unit = unit_of(std::move(entry.second));
    const auto [found, is_new] = by_name.try_emplace(unit.name, units.size());
    if (is_new) {
      units.push_back(std::move(unit));
      continue;
    }
    Unit& same = units[found->second];
    same.members.insert(same.members.end(), unit.members.begin(), unit.members.end());
    ++same.runs;
  }
  const auto begin_of = [&](const Unit& unit) {
    return processes_[*std::ranges::min_element(unit.members)].span.begin_ns;
  };
  std::ranges::stable_sort(units, {}, begin_of);
  return units;
}

TreeRow ProcessTree::row_of(const Unit& unit, const std::vector<PipelineRun>& runs) const {
  TreeRow row;
  row.name = unit.name;
  row.is_pipeline = unit.is_pipeline;
  row.runs = unit.runs;
  std::vector<StageSpan> spans;
  size_t live = 0;
  for (const size_t member : unit.members) {
    const Process& process = processes_[member];
    spans.push_back(process.span);
    row.cpu_ns += process.cpu_ns;
    row.cpus += process.cpus;
    live += process.lives;
  }
  row.live =
      unit.is_pipeline ? (live * unit.runs + unit.members.size() - 1) / unit.members.size() : live;
  std::ranges::sort(spans, {}, &StageSpan::begin_ns);
  uint64_t until_ns = 0;
  for (const StageSpan& span : spans) {
    const uint64_t from_ns = std::max(until_ns, span.begin_ns);
    row.ran_ns += span.end_ns - std::min(from_ns, span.end_ns);
    until_ns = std::max(until_ns, span.end_ns);
  }
  if (unit.members.size() == 1) {
    const Process& only = processes_[unit.members[0]];
    row.process = only.id;
    if (!only.command.empty()) row.name = only.command;
  }
  if (unit.is_pipeline) find_bottleneck(unit, runs, row);
  return row;
}

// What was blamed most while it ran: for its part of all the blame. The window that verdicts are of
// makes each come late, and stay as long.
void ProcessTree::find_bottleneck(const Unit& unit, const std::vector<PipelineRun>& runs,
                                  TreeRow& row) const {
  std::map<std::string, uint64_t> blamed;
  uint64_t sum_ns = 0;
  for (const size_t member : unit.members) {
    blamed[processes_[member].name] += processes_[member].blamed_ns;
    sum_ns += processes_[member].blamed_ns;
  }
  if (sum_ns > 0) {
    const auto most =
        std::ranges::max_element(blamed, {}, [](const auto& entry) { return entry.second; });
    row.bottleneck = most->first;
    row.bottleneck_ns = uint64_t(double(row.ran_ns) * double(most->second) / double(sum_ns));
    return;
  }
  const auto is_member = [&](ProcessId id) {
    return std::ranges::any_of(unit.members,
                               [&](size_t member) { return processes_[member].id == id; });
  };
  for (const PipelineRun& run : runs) {
    const auto& stage = run.pipeline.verdict.stage;
    if (!stage || !is_member(*stage)) continue;
    const auto found = std::ranges::find(run.pipeline.stages, *stage, &Stage::id);
    if (found == run.pipeline.stages.end()) continue;
    row.bottleneck = found->name;
    row.bottleneck_ns = row.ran_ns;
    return;
  }
}

void ProcessTree::add_rows(const std::vector<size_t>& siblings, size_t depth,
                           const std::vector<PipelineRun>& runs, ProcessTreeView& view) const {
  for (const Unit& unit : units_of(siblings)) {
    view.rows.push_back(row_of(unit, runs));
    view.rows.back().depth = depth;
    std::vector<size_t> below;
    if (depth == kDeepest) continue;
    for (const size_t member : unit.members)
      below.insert(below.end(), children_[member].begin(), children_[member].end());
    if (!below.empty()) add_rows(below, depth + 1, runs, view);
  }
}

std::vector<ProcessId> ProcessTree::living() const {
  std::vector<ProcessId> living;
  for (const auto& entry : living_) living.push_back(processes_[entry.second].id);
  return living;
}

ProcessTreeView ProcessTree::view(const std::vector<PipelineRun>& runs) const {
  ProcessTreeView view;
  view.left_out = left_out_;
  if (processes_.empty()) return view;
  uint64_t end_ns = looked_ns_;
  if (living_.empty())  // it is over
    end_ns = std::ranges::max(processes_, {}, [](const Process& process) {
               return process.span.end_ns;
             }).span.end_ns;
  view.length_ns = end_ns - std::min(end_ns, processes_[0].span.begin_ns);
  add_rows({0}, 0, runs, view);
  return view;
}

}  // namespace pipetop
