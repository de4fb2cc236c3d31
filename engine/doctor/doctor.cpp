#include "engine/doctor/doctor.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "engine/base/text.h"
#include "engine/doctor/doctor_checks.h"
#include "engine/host/host.h"
#include "engine/host/host_files.h"
#include "engine/host/zero_copy_probe.h"
#include "engine/process/placement.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

constexpr const char* kSandbox =
    "leave the container or sandbox, or allow it: docker run --security-opt seccomp=unconfined";

constexpr std::array kPairs = {Placement::same_cpu, Placement::smt, Placement::near,
                               Placement::far};

Check check_pipe_size() {
  const std::string name = "pipe";
  const ScratchPipe pipe;
  if (pipe.error_number != 0)
    return {name, CheckResult::missing, "no pipe", errno_text(pipe.error_number), "ulimit -n 1024"};
  const int usual = fcntl(pipe.read_end.get(), F_GETPIPE_SZ);
  const long long most = read_number("/proc/sys/fs/pipe-max-size", 1 << 20);
  if (fcntl(pipe.read_end.get(), F_SETPIPE_SZ, int(most)) >= 0)
    return works(name, fmt::format("{}, up to {} (raise it: sudo sysctl fs.pipe-max-size=4194304)",
                                   format_size(uint64_t(usual)), format_size(uint64_t(most))));
  const int error = errno;
  return {name, CheckResult::limited, fmt::format("{}", format_size(uint64_t(usual))),
          fmt::format("{} was refused: {}; this user's pipes hold too many pages",
                      format_size(uint64_t(most)), errno_text(error)),
          "sudo sysctl fs.pipe-user-pages-soft=0"};
}

Check check_vmsplice(const ZeroCopyProbe& probe) {
  const std::string name = "vmsplice";
  if (probe.vmsplice_errno != 0)
    return {name, CheckResult::missing, "refused", errno_text(probe.vmsplice_errno), kSandbox};
  return works(name, "lends pages to a pipe");
}

Check check_zero_copy(const ZeroCopyProbe& probe) {
  const std::string name = "zero copy";
  switch (probe.result) {
    case ZeroCopy::zero_copy:
      return works(name, probe.reason);
    case ZeroCopy::copied:
      return {name, CheckResult::limited, "vmsplice copies", probe.reason,
              "boot a kernel whose vmsplice does not copy"};
    default:
      return {name, CheckResult::missing, "unverifiable", probe.reason, ""};
  }
}

Check check_splice() {
  const std::string name = "splice to /dev/null";
  const ScratchPipe pipe;
  const UniqueFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!null)
    return {name, CheckResult::missing, "no /dev/null", errno_text(errno),
            "sudo mknod -m 666 /dev/null c 1 3"};
  if (write(pipe.write_end.get(), "x", 1) != 1)
    return {name, CheckResult::missing, "no pipe to splice from", errno_text(errno), ""};
  if (splice(pipe.read_end.get(), nullptr, null.get(), nullptr, 1, SPLICE_F_NONBLOCK) == 1)
    return works(name, "drains a pipe without a copy");
  return {name, CheckResult::missing, "refused", errno_text(errno), kSandbox};
}

Check check_cpus() {
  const std::string name = "CPUs and placement";
  const std::vector<Cpu> cpus = read_topology();
  std::string can, cannot;
  for (const Placement placement : kPairs) {
    PipeSettings request;
    request.placement = placement;
    const bool had = choose_cpus(request, cpus).placement == placement;
    std::string& list = had ? can : cannot;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", to_text(placement));
  }
  const std::string found = fmt::format("{} CPU{}: {}{}", cpus.size(), cpus.size() == 1 ? "" : "s",
                                        can, cannot.empty() ? "" : "; no " + cannot);
  if (cpus.size() >= 2) return works(name, found);
  return {name, CheckResult::limited, found, "writer and reader must share the only CPU",
          "taskset -cp 0-1 $$, or give the machine a second CPU"};
}

// Since boot, because time is stolen only from running tasks, and doctor runs none.
Check check_steal() {
  const std::string name = "host";
  const HostInfo host = read_host();
  const double share = steal_share({}, read_cpu_times());
  const std::string found = fmt::format(
      "{}, {:.1f} % of the time stolen since boot",
      host.hypervisor.empty() ? "bare metal" : "a guest of " + host.hypervisor, 100 * share);
  if (share <= kMuchSteal) return works(name, found);
  return {name, CheckResult::limited, found,
          "other guests slow this one down: rates are unreliable",
          "measure on a quiet or dedicated host"};
}

}  // namespace

std::string errno_text(int error_number) { return std::generic_category().message(error_number); }

std::vector<Check> diagnose() {
  const ZeroCopyProbe probe = probe_zero_copy();
  Checks checks = {check_pipe_size(), check_vmsplice(probe), check_zero_copy(probe),
                   check_splice()};
  std::ranges::move(check_memory(), std::back_inserter(checks));
  checks.insert(checks.end(), {check_cpus(), check_steal()});
  std::ranges::move(check_observers(), std::back_inserter(checks));
  return checks;
}

}  // namespace pipetop
