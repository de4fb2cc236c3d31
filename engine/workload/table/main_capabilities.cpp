#include "engine/workload/table/main_capabilities.h"

#include <fmt/core.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/system_files.h"
#include "engine/process/privileges.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

// Under sudo, workers and files are another user's. Root itself needs less for what is its own.
enum class For : uint8_t { anybody, caller, root };

struct Use {
  unsigned uses;
  For whom;
  uint64_t in_effect, on_demand;
  std::string_view purpose;
};

// CAP_DAC_READ_SEARCH is for /proc/PID/fd and /proc/PID/io, which only their owners may read.
// Without CAP_KILL in effect, workers of another user would outlive us: their PR_SET_PDEATHSIG is
// sent by us.
constexpr Use kUses[] = {
    {kObserve, For::anybody, capabilities({CAP_BPF, CAP_PERFMON, CAP_SYSLOG}), 0,
     "to observe the kernel"},
    {kRunWorkers, For::anybody, capabilities({CAP_SYS_PTRACE}), 0, "to read workers"},
    {kRunWorkers, For::caller, capabilities({CAP_KILL, CAP_SYS_NICE}), 0,
     "to signal and pin workers of the user who called sudo"},
    {kRunWorkers | kCallersFiles, For::caller, 0, capabilities({CAP_SETUID, CAP_SETGID}),
     "to start workers and open files as that user"},
    {kLargeRings, For::anybody, capabilities({CAP_SYS_RESOURCE}), 0,
     "for rings above fs.pipe-max-size"},
    {kOtherProcesses | kSeeProcesses, For::anybody,
     capabilities({CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE}), 0, "to see processes of others"},
    {kNeighbours, For::root, capabilities({CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE}), 0,
     "to name processes up- and downstream"},
    {kOtherProcesses, For::anybody, capabilities({CAP_SYS_RESOURCE}), 0, "to resize their pipes"},
    {kSignalCommand, For::anybody, capabilities({CAP_KILL}), 0, "to pass signals on to a command"},
    {kTryEverything, For::anybody, capabilities({CAP_IPC_LOCK, CAP_SYS_ADMIN}), 0,
     "to try locked memory and page flags"}};

bool is_for(const Use& use, bool for_caller) {
  return use.whom == For::anybody || (use.whom == For::caller) == for_caller;
}

// Debian's and Ubuntu's kernels allow perf events only with CAP_SYS_ADMIN then.
uint64_t for_events() {
  const bool paranoid = read_number("/proc/sys/kernel/perf_event_paranoid", 2) > 2;
  return paranoid ? capabilities({CAP_SYS_ADMIN}) : 0;
}

bool has_caller() { return user_to_become().uid != 0; }

MainCapabilities here(unsigned uses, std::span<const WorkloadEntry> possible) {
  MainCapabilities sets = main_capabilities(uses, possible, has_caller());
  if ((uses & kObserve) != 0) sets.in_effect |= for_events();
  return sets;
}

void check(bool done) {
  if (!done) throw SystemError("giving up capabilities", errno);
}

}  // namespace

MainCapabilities main_capabilities(unsigned uses, std::span<const WorkloadEntry> possible,
                                   bool for_caller) {
  MainCapabilities sets;
  for (const Use& use : kUses) {
    if ((use.uses & uses) == 0 || !is_for(use, for_caller)) continue;
    sets.in_effect |= use.in_effect;
    sets.on_demand |= use.on_demand;
  }
  if ((uses & kRunWorkers) == 0) return sets;
  if (for_caller) sets.passed_on |= capabilities({CAP_SETUID, CAP_SETGID});
  for (const WorkloadEntry& workload : possible) sets.passed_on |= workload.worker_capabilities;
  return sets;
}

void suspend_main_capabilities() { check(use_capabilities(0)); }

// What may be passed on is set now, because it cannot exceed the bounding set, which is emptied.
void narrow_main_capabilities(unsigned uses) {
  if (here(uses, workloads()).permitted() == 0) {
    if (become(user_to_become())) return;
    throw Error(fmt::format("becoming the user who called sudo: {}: unset SUDO_UID, SUDO_GID, "
                            "DOAS_USER and PKEXEC_UID to stay who you are",
                            std::generic_category().message(errno)),
                Exit::refused);
  }
  const MainCapabilities sets = here(uses | kCallersFiles, workloads());
  check(keep_capabilities(sets.permitted(), sets.passed_on, 0));
}

void resume_main_capabilities(unsigned uses) { check(use_capabilities(here(uses, {}).in_effect)); }

void keep_main_capabilities(unsigned uses, std::span<const WorkloadEntry> possible) {
  const MainCapabilities sets = here(uses, possible);
  check(keep_capabilities(sets.permitted(), sets.passed_on, sets.in_effect));
}

std::string describe_capabilities() {
  std::string text;
  const auto add = [&](uint64_t set, std::string_view purpose) {
    const std::string names = capability_names(set & permitted_capabilities());
    if (!names.empty()) text += fmt::format("{}{} {}", text.empty() ? "" : "; ", names, purpose);
  };
  for (const Use& use : kUses)
    if (is_for(use, has_caller())) add(use.in_effect | use.on_demand, use.purpose);
  add(for_events(), "for perf events");
  for (const WorkloadEntry& workload : workloads())
    add(workload.worker_capabilities, workload.purpose);
  return text.empty() ? "none" : text;
}

}  // namespace pipetop
