// Finds things in a scan.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/model/pipe_scan.h"
#include "engine/model/pipeline.h"

namespace pipetop {

// Refers to the scan.
class ScanIndex {
 public:
  explicit ScanIndex(const PipeScan& scan);

  // The threads of a process; none if it holds no pipe, or has exited.
  std::span<const ScannedTask> threads(ProcessId process) const;
  const ScannedPipe* pipe(PipeId id) const;  // null: there is none
  // Of a descriptor that it reads, or writes: a socket is two pipes.
  std::optional<PipeId> pipe_at(ProcessId process, int fd, bool writing) const;
  // Of the read or write that a thread is in.
  std::optional<PipeId> pipe_of(const ScannedTask& task) const {
    return pipe_at(task.process, task.fd, task.wait == WaitsFor::pipe_write);
  }

 private:
  struct Place {
    ProcessId process;
    int fd;
    uint32_t pipe;

    auto operator<=>(const Place&) const = default;
  };

  const PipeScan& scan_;
  std::vector<Place> places_;  // of all ends, sorted
};

// The threads of a process among `tasks`, which are sorted by process.
std::span<const ScannedTask> threads_in(std::span<const ScannedTask> tasks, ProcessId process);

// The process of each run of threads in `tasks`, which are sorted by it.
template <class Visit>
void for_each_process(std::span<const ScannedTask> tasks, Visit visit) {
  for (size_t begin = 0, end = 0; begin < tasks.size(); begin = end) {
    while (end < tasks.size() && tasks[end].process == tasks[begin].process) ++end;
    visit(tasks.subspan(begin, end - begin));
  }
}

// The state of a process with these threads, at least one.
StageState stage_state_of(std::span<const ScannedTask> threads, const ScanIndex& index);

// Whose writers wait.
std::set<PipeId> pipes_waited_for(const PipeScan& scan, const ScanIndex& index);

// Whether nothing is left of it but its exit status.
bool has_exited(std::span<const ScannedTask> threads);

// The one that the process is known by: its first, if that one is there.
const ScannedTask& leader(std::span<const ScannedTask> threads);

// What the processes of a scan are to each other, and what each has done: found once, and asked for
// each of their pipes.
class Families {
 public:
  struct Member {
    ProcessId process;
    const Member* parent = nullptr;  // null: it holds no pipe, or isn't known
    uint64_t cpu_ns = 0;             // of all its threads
    bool waits_for_child = false;    // one of them does
  };

  // `tasks` are sorted by process.
  explicit Families(std::span<const ScannedTask> tasks);
  Families(const Families&) = delete;
  Families& operator=(const Families&) = delete;

  const Member* find(ProcessId process) const;  // null: it has no threads

  // How often a process was asked for its parent, or a descriptor for its like. Tests count the
  // work with it: strangers choose how many processes hold how many descriptors.
  void count_step() const { ++steps_; }
  uint64_t steps() const { return steps_; }

 private:
  std::vector<Member> members_;  // by process
  mutable uint64_t steps_ = 0;
};

}  // namespace pipetop
