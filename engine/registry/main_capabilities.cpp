#include "engine/registry/main_capabilities.h"

#include <fmt/core.h>
#include <linux/capability.h>

#include <cerrno>
#include <vector>

#include "engine/base/error.h"
#include "engine/host/host_files.h"
#include "engine/process/privileges.h"
#include "engine/registry/workloads.h"

namespace pipetop {
namespace {

struct Use {
  uint64_t capabilities;
  std::string_view purpose;
};

// Whatever the workload is. Under sudo, results go where root may write: where the calling user
// may.
constexpr Use kUses[] = {
    {capabilities({CAP_BPF, CAP_PERFMON, CAP_SYSLOG}), "to observe the kernel"},
    {capabilities({CAP_SETUID, CAP_SETGID}), "to run workers as the user who called sudo"},
    {capabilities({CAP_KILL, CAP_SYS_NICE, CAP_SYS_PTRACE}), "to signal, pin and read workers"},
    {capabilities({CAP_SYS_RESOURCE}), "for rings above fs.pipe-max-size"},
    {capabilities({CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER}), "to write results anywhere"}};

// Debian's and Ubuntu's kernels allow perf events only with CAP_SYS_ADMIN then.
Use use_for_events() {
  const bool paranoid = read_number("/proc/sys/kernel/perf_event_paranoid", 2) > 2;
  return {paranoid ? capabilities({CAP_SYS_ADMIN}) : 0, "for perf events"};
}

std::vector<Use> uses_of(std::span<const WorkloadEntry> possible) {
  std::vector<Use> uses(std::begin(kUses), std::end(kUses));
  uses.push_back(use_for_events());
  for (const WorkloadEntry& workload : possible)
    uses.push_back({workload.worker_capabilities, workload.purpose});
  return uses;
}

}  // namespace

void keep_main_capabilities(std::span<const WorkloadEntry> possible) {
  uint64_t kept = 0, of_workers = capabilities({CAP_SETUID, CAP_SETGID});
  for (const Use& use : uses_of(possible)) kept |= use.capabilities;
  for (const WorkloadEntry& workload : possible) of_workers |= workload.worker_capabilities;
  if (!keep_capabilities(kept, of_workers)) throw SystemError("giving up capabilities", errno);
}

std::string describe_capabilities() {
  std::string text;
  for (const Use& use : uses_of(workloads())) {
    const std::string names = capability_names(use.capabilities & effective_capabilities());
    if (!names.empty())
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", names, use.purpose);
  }
  return text.empty() ? "none" : text;
}

}  // namespace pipetop
