#include "engine/observe/refusals.h"

#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "engine/base/error.h"
#include "engine/base/reading.h"
#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/process/privileges.h"

namespace pipetop::observe {
namespace {

bool is_permission(int error_number) { return error_number == EPERM || error_number == EACCES; }

bool is_before_6_1() {
  utsname system = {};
  int major = 0, minor = 0;
  return uname(&system) == 0 && std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
         (major < 6 || (major == 6 && minor < 1));
}

}  // namespace

Circumstances read_circumstances() {
  const uint64_t held = effective_capabilities();
  const auto has = [&](int capability) { return (held & capabilities({capability})) != 0; };
  return {.can_load_bpf = has(CAP_SYS_ADMIN) || (has(CAP_BPF) && has(CAP_PERFMON)),
          .may_see_addresses = has(CAP_SYSLOG),
          .has_kernel_btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0,
          .is_old_kernel = is_before_6_1(),
          .perf_event_paranoid = int(read_number("/proc/sys/kernel/perf_event_paranoid", 2)),
          .kptr_restrict = int(read_number("/proc/sys/kernel/kptr_restrict", 0))};
}

std::string why_and_remedy(const Refusal& refusal, const Circumstances& circumstances) {
  if (!circumstances.can_load_bpf) return fmt::format("{}; {}", kNeedsRoot, kAsRoot);
  if (!circumstances.has_kernel_btf)
    return "this kernel has no /sys/kernel/btf/vmlinux; use one built with "
           "CONFIG_DEBUG_INFO_BTF=y, and mount /sys";

  std::string why = refusal.step + ": " + std::generic_category().message(refusal.error_number);
  if (!refusal.log.empty()) why += fmt::format(" ({})", refusal.log);
  if (is_permission(refusal.error_number))
    return why + (refusal.step == "perf_event_open" && circumstances.perf_event_paranoid > 2
                      ? "; sudo sysctl kernel.perf_event_paranoid=2"
                      : "; a container's seccomp filter or kernel lockdown forbids it: allow "
                        "bpf() and perf_event_open() there, or run on the host");
  switch (refusal.error_number) {
    case ENOMEM:
      return why + "; raise the locked-memory limit (ulimit -l) or the memory cgroup's";
    case EMFILE:
    case ENFILE:
      return why + remedy_of(refusal.step, refusal.error_number);
    case ENOSYS:
    case EOPNOTSUPP:
      return why + "; use a kernel with CONFIG_BPF_SYSCALL and CONFIG_PERF_EVENTS";
    default:
      return why + (circumstances.is_old_kernel
                        ? "; Linux 6.1 or later is needed"
                        : "; this is a bug of pipetop: report it with this line");
  }
}

std::string lost_without_root(std::string_view reason) {
  if (why_of(reason) != kNeedsRoot) return {};
  return fmt::format("functions and slots need root: {}", kAsRoot);
}

std::string verifiers_complaint(std::string_view log) {
  std::string complaint;
  for (const std::string& line : split(log, '\n')) {
    const bool is_frame =
        line.empty() || line.starts_with("processed ") || line.find("PROG LOAD LOG") != line.npos;
    if (!is_frame) complaint = line;
  }
  return "verifier: " + complaint;
}

std::string why_no_addresses(const Circumstances& circumstances) {
  if (circumstances.kptr_restrict >= 2)
    return "the kernel hides its symbols' addresses (kernel.kptr_restrict=2); "
           "sudo sysctl kernel.kptr_restrict=1";
  if (!circumstances.may_see_addresses && !circumstances.can_load_bpf)
    return fmt::format("{}; {}", kNeedsRoot, kAsRoot);
  if (!circumstances.may_see_addresses)
    return fmt::format("the kernel hides its symbols' addresses without CAP_SYSLOG; {}", kAsRoot);
  return "/proc/kallsyms shows no addresses; use a kernel with CONFIG_KALLSYMS";
}

}  // namespace pipetop::observe
