// Finds things in a scan.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/model/pipe_scan.h"
#include "engine/model/pipeline.h"

namespace pipetop {

// Refers to the scan.
class ScanIndex {
 public:
  explicit ScanIndex(const PipeScan& scan);

  // Of a process; none if it holds no pipe, or has exited.
  std::span<const ScannedTask> threads(ProcessId process) const;
  const ScannedPipe* pipe(PipeId id) const;  // null: there is none
  std::optional<PipeId> pipe_at(ProcessId process, int fd) const;

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

// Of a process, in `tasks`, which are sorted by it.
std::span<const ScannedTask> threads_in(std::span<const ScannedTask> tasks, ProcessId process);

// The process of each run of threads in `tasks`, which are sorted by it.
template <class Visit>
void for_each_process(std::span<const ScannedTask> tasks, Visit visit) {
  for (size_t begin = 0, end = 0; begin < tasks.size(); begin = end) {
    while (end < tasks.size() && tasks[end].process == tasks[begin].process) ++end;
    visit(tasks.subspan(begin, end - begin));
  }
}

// Of a process with these threads, at least one.
StageState stage_state_of(std::span<const ScannedTask> threads, const ScanIndex& index);

// Whether nothing is left of it but its exit status.
bool has_exited(std::span<const ScannedTask> threads);

// The one that the process is known by: its first, if that one is there.
const ScannedTask& leader(std::span<const ScannedTask> threads);

}  // namespace pipetop
