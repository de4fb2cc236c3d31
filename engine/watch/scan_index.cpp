#include "engine/watch/scan_index.h"

#include <algorithm>

namespace pipetop {
namespace {

bool in_pipe(const ScannedTask& task) {
  return task.wait == WaitsFor::pipe_read || task.wait == WaitsFor::pipe_write;
}

// The higher, the more it says of its process.
int weight(const ScannedTask& task) {
  if (task.zombie) return 0;
  if (task.running) return 5;
  if (task.runnable) return 4;
  if (in_pipe(task)) return 3;
  return task.wait == WaitsFor::stopped ? 2 : 1;
}

}  // namespace

ScanIndex::ScanIndex(const PipeScan& scan) : scan_(scan) {
  size_t ends = 0;
  for (const ScannedPipe& pipe : scan.pipes) ends += pipe.ends.size();
  places_.reserve(ends);
  for (uint32_t i = 0; i < scan.pipes.size(); ++i)
    for (const PipeEnd& end : scan.pipes[i].ends) places_.push_back({end.process, end.fd, i});
  if (!std::ranges::is_sorted(places_)) std::ranges::sort(places_);
}

std::span<const ScannedTask> ScanIndex::threads(ProcessId process) const {
  return threads_in(scan_.tasks, process);
}

std::span<const ScannedTask> threads_in(std::span<const ScannedTask> tasks, ProcessId process) {
  const auto begin = std::ranges::lower_bound(tasks, process, {}, &ScannedTask::process);
  return {begin, std::ranges::upper_bound(begin, tasks.end(), process, {}, &ScannedTask::process)};
}

const ScannedPipe* ScanIndex::pipe(PipeId id) const {
  const auto found = std::ranges::lower_bound(scan_.pipes, id, {}, &ScannedPipe::id);
  return found != scan_.pipes.end() && found->id == id ? &*found : nullptr;
}

std::optional<PipeId> ScanIndex::pipe_at(ProcessId process, int fd, bool writing) const {
  for (auto found = std::ranges::lower_bound(places_, Place{process, fd, 0});
       found != places_.end() && found->process == process && found->fd == fd; ++found) {
    const ScannedPipe& pipe = scan_.pipes[found->pipe];
    const auto is_it = [&](const PipeEnd& end) {
      return end.process == process && end.fd == fd && (end.access == Access::write) == writing;
    };
    if (!pipe.socket || std::ranges::any_of(pipe.ends, is_it)) return pipe.id;
  }
  return {};
}

StageState stage_state_of(std::span<const ScannedTask> threads, const ScanIndex& index) {
  const ScannedTask& task = *std::ranges::max_element(threads, {}, weight);
  if (task.zombie) return {StageState::Kind::zombie, WaitsFor::none, {}};
  if (task.running) return {StageState::Kind::running, WaitsFor::none, {}};
  if (task.runnable) return {StageState::Kind::runnable, WaitsFor::none, {}};
  StageState state{StageState::Kind::waiting, task.wait, {}};
  if (in_pipe(task)) state.pipe = index.pipe_of(task);
  return state;
}

std::set<PipeId> pipes_waited_for(const PipeScan& scan, const ScanIndex& index) {
  std::set<PipeId> pipes;
  for (const ScannedTask& task : scan.tasks)
    if (task.wait == WaitsFor::pipe_write)
      if (const auto pipe = index.pipe_of(task)) pipes.insert(*pipe);
  return pipes;
}

bool has_exited(std::span<const ScannedTask> threads) {
  return std::ranges::all_of(threads, &ScannedTask::zombie);
}

const ScannedTask& leader(std::span<const ScannedTask> threads) {
  const auto found = std::ranges::find_if(
      threads, [](const ScannedTask& task) { return task.tid == task.process.pid; });
  return found == threads.end() ? threads.front() : *found;
}

Families::Families(std::span<const ScannedTask> tasks) {
  std::vector<pid_t> parents;
  for_each_process(tasks, [&](std::span<const ScannedTask> threads) {
    Member& member = members_.emplace_back();
    member.process = threads.front().process;
    parents.push_back(threads.front().parent);
    for (const ScannedTask& thread : threads) {
      member.cpu_ns += thread.cpu_ns;
      member.waits_for_child = member.waits_for_child || thread.wait == WaitsFor::child;
    }
  });
  for (size_t i = 0; i < members_.size(); ++i) {
    const auto found = std::ranges::lower_bound(
        members_, parents[i], {}, [](const Member& member) { return member.process.pid; });
    if (found != members_.end() && found->process.pid == parents[i]) members_[i].parent = &*found;
  }
}

const Families::Member* Families::find(ProcessId process) const {
  const auto found = std::ranges::lower_bound(members_, process, {}, &Member::process);
  return found != members_.end() && found->process == process ? &*found : nullptr;
}

}  // namespace pipetop
