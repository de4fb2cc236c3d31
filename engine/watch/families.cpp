#include "engine/watch/families.h"

#include <algorithm>

#include "engine/watch/scan_index.h"

namespace pipetop {

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
