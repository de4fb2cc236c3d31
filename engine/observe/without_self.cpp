#include "engine/observe/without_self.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace pipetop::observe {
namespace {

class WithoutSelf final : public PipeScanner {
 public:
  explicit WithoutSelf(std::unique_ptr<PipeScanner> all) : all_(std::move(all)) {}

  PipeScan scan() override { return others_of(all_->scan()); }

  std::optional<PipeScan> scan_on(const IsLate& is_late) override {
    std::optional<PipeScan> scan = all_->scan_on(is_late);
    if (scan) leave_out_self(::getpid(), *scan);
    return scan;
  }

  PipeScan scan(std::span<const ProcessId> processes) override {
    return others_of(all_->scan(processes));
  }

  bool list_exits() override { return all_->list_exits(); }

  void set_open(const std::set<PipeId>& pipes) override { all_->set_open(pipes); }

 private:
  static PipeScan others_of(PipeScan scan) {
    leave_out_self(::getpid(), scan);
    return scan;
  }

  std::unique_ptr<PipeScanner> all_;
};

// Sorted, as tasks are.
std::vector<ProcessId> own_processes(pid_t self, const std::vector<ScannedTask>& tasks) {
  const auto first =
      std::ranges::find_if(tasks, [&](const ScannedTask& task) { return task.tid == self; });
  std::vector<ProcessId> own;
  if (first == tasks.end()) return own;
  for (const ScannedTask& task : tasks)
    if (task.process == first->process || (task.parent == self && task.comm == first->comm))
      if (own.empty() || own.back() != task.process) own.push_back(task.process);
  return own;
}

bool has_side(const ScannedPipe& pipe, Access side) {
  return std::ranges::any_of(pipe.ends, [&](const PipeEnd& end) {
    return end.access == side || end.access == Access::both;
  });
}

}  // namespace

void leave_out_self(pid_t self, PipeScan& scan) {
  const std::vector<ProcessId> own = own_processes(self, scan.tasks);
  if (own.empty()) return;
  const auto is_own = [&](ProcessId process) { return std::ranges::binary_search(own, process); };
  std::erase_if(scan.pipes, [&](ScannedPipe& pipe) {
    const bool was_written = has_side(pipe, Access::write), was_read = has_side(pipe, Access::read);
    if (std::erase_if(pipe.ends, [&](const PipeEnd& end) { return is_own(end.process); }) == 0)
      return false;
    const bool is_own_only = (was_written && !has_side(pipe, Access::write)) ||
                             (was_read && !has_side(pipe, Access::read));
    if (is_own_only && !pipe.ends.empty()) ++scan.self_pipes;
    return is_own_only || pipe.ends.empty();
  });
  std::erase_if(scan.tasks, [&](const ScannedTask& task) { return is_own(task.process); });
}

std::unique_ptr<PipeScanner> without_self(std::unique_ptr<PipeScanner> all) {
  return std::make_unique<WithoutSelf>(std::move(all));
}

}  // namespace pipetop::observe
