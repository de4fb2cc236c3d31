#include "engine/watch/tests/made_scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pipetop {

ProcessId MadeScan::id_of(pid_t pid) const { return {pid, 1'000'000 + uint64_t(pid)}; }

ProcessId MadeScan::process(pid_t pid, pid_t parent, pid_t session, WaitsFor wait) {
  ScannedTask task;
  task.process = id_of(pid);
  task.tid = pid;
  task.parent = parent;
  task.group = pid;
  task.session = session;
  task.comm = fmt::format("p{}", pid);
  task.wait = wait;
  task.cpu_ns = 1'000'000'000;
  tasks_.push_back(task);
  return task.process;
}

void MadeScan::does(pid_t pid, WaitsFor wait, uint64_t cpu_ns) {
  for (ScannedTask& task : tasks_)
    if (task.process.pid == pid) task.wait = wait, task.cpu_ns = cpu_ns;
}

size_t MadeScan::pipe() {
  ScannedPipe pipe;
  pipe.id = {14, 80'000 + pipes_.size()};
  pipes_.push_back(pipe);
  return pipes_.size() - 1;
}

void MadeScan::hold(size_t pipe, pid_t pid, int fd, Access access) {
  pipes_[pipe].ends.push_back({id_of(pid), fd, access, false});
}

void MadeScan::saw(size_t pipe, pid_t pid) {
  for (const bool writing : {false, true}) saw(pipe, pid, writing);
}

void MadeScan::saw(size_t pipe, pid_t pid, bool writing) {
  seen_.insert({pipes_[pipe].id, id_of(pid), writing});
}

void MadeScan::chain(const std::vector<pid_t>& pids, pid_t session) {
  for (const pid_t pid : pids) process(pid, 1, session);
  for (size_t i = 0; i + 1 < pids.size(); ++i) {
    const size_t number = pipe();
    writes(number, pids[i]);
    reads(number, pids[i + 1]);
  }
}

PipeScan MadeScan::scan() const {
  PipeScan scan;
  scan.pipes = pipes_;
  scan.tasks = tasks_;
  for (ScannedPipe& pipe : scan.pipes)
    std::ranges::sort(pipe.ends, {}, [](const PipeEnd& e) { return std::pair(e.process, e.fd); });
  std::ranges::sort(scan.tasks, {},
                    [](const ScannedTask& t) { return std::pair(t.process, t.tid); });
  return scan;
}

std::vector<std::string> MadeScan::parts() const {
  std::vector<std::string> parts;
  const PipeScan scan = this->scan();
  for (const PipelineShape& shape : pipelines(scan, seen_, Families(scan.tasks))) {
    std::vector<pid_t> pids;
    for (const ProcessId stage : shape.stages) pids.push_back(stage.pid);
    parts.push_back(fmt::format("{}: {}", fmt::join(pids, " | "), fmt::join(shape.pipes, " ")));
  }
  return parts;
}

std::string MadeScan::active(size_t pipe) const {
  const PipeScan scan = this->scan();
  const std::vector<bool> active = active_ends(scan.pipes[pipe], seen_, Families(scan.tasks));
  std::vector<std::string> ends;
  for (size_t i = 0; i < active.size(); ++i)
    if (active[i])
      ends.push_back(
          fmt::format("{}:{}", scan.pipes[pipe].ends[i].process.pid, scan.pipes[pipe].ends[i].fd));
  return fmt::format("{}", fmt::join(ends, " "));
}

}  // namespace pipetop
