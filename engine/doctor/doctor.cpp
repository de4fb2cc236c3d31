#include "engine/doctor/doctor.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "engine/base/numbers.h"
#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/base/unique_fd.h"
#include "engine/doctor/doctor_checks.h"
#include "engine/host/host.h"
#include "engine/host/pipe_max_size.h"
#include "engine/host/zero_copy_probe.h"
#include "engine/memory/buffer.h"
#include "engine/process/placement.h"
#include "engine/registry/main_capabilities.h"
#include "engine/watch/intervention_words.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

constexpr const char* kSandbox =
    "leave the container or sandbox, or allow it: docker run --security-opt seccomp=unconfined";

constexpr std::array kPairs = {Placement::same_cpu, Placement::smt, Placement::near,
                               Placement::far};

Check check_pipe_size() {
  const bool repaired = repair_pipe_max_size().has_value();
  std::optional<PipeOwner> pipe = make_pipe();
  if (!pipe) return missing("no pipe", errno_text(errno), "ulimit -n 1024");
  const std::string usual = format_size(pipe->capacity_bytes());
  const auto most_bytes = uint64_t(read_number(kPipeMaxSizeFile, 1 << 20));
  const std::string most = format_size(most_bytes);
  if (const int error = pipe->resize(most_bytes))
    return limited(usual,
                   fmt::format("{} was refused: {}; this user's pipes hold too many pages", most,
                               errno_text(error)),
                   "sudo sysctl fs.pipe-user-pages-soft=0");
  return works(fmt::format("{}, up to {} (raise it: sudo sysctl fs.pipe-max-size=4194304){}", usual,
                           most, repaired ? "; a pipetop that was killed had left it raised" : ""));
}

Check check_changes() {
  const Leftovers left = find_leftovers();
  if (!left.changes.empty())
    return limited(fmt::format("left in place: {}", fmt::join(left.changes, ", ")),
                   "a pipetop has ended, and neither it nor its guardian could undo it",
                   put_back_command());
  if (!left.damaged.empty())
    return limited("a record of changes can't be read", left.damaged.front(), "");
  return works(left.in_use == 0 ? "none left behind" : "a pipetop that runs will undo its own");
}

Check check_vmsplice(const ZeroCopyProbe& probe) {
  if (probe.vmsplice_errno != 0)
    return missing("refused", errno_text(probe.vmsplice_errno), kSandbox);
  return works("lends pages to a pipe");
}

Check check_zero_copy(const ZeroCopyProbe& probe) {
  switch (probe.result) {
    case ZeroCopy::zero_copy:
      return works(probe.reason);
    case ZeroCopy::copied:
      return limited("vmsplice copies", probe.reason, "boot a kernel whose vmsplice does not copy");
    default:
      return missing("unverifiable", probe.reason, "");
  }
}

Check check_splice() {
  const std::optional<PipeOwner> pipe = make_pipe();
  if (!pipe || write(pipe->write_fd(), "x", 1) != 1)
    return missing("no pipe to splice from", errno_text(errno), "");
  const UniqueFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!null) return missing("no /dev/null", errno_text(errno), "sudo mknod -m 666 /dev/null c 1 3");
  if (splice(pipe->read_fd(), nullptr, null.get(), nullptr, 1, SPLICE_F_NONBLOCK) == 1)
    return works("drains a pipe without a copy");
  return missing("refused", errno_text(errno), kSandbox);
}

Check check_thp() {
  const auto [setting, file] = read_thp("enabled");
  const std::string turn_on = fmt::format("echo madvise | sudo tee {}", file);
  if (setting.empty())
    return missing("none", "the kernel was built without them",
                   "boot a kernel with CONFIG_TRANSPARENT_HUGEPAGE=y");
  if (setting == "never") return missing("never", "they are turned off", turn_on);
  const Buffer buffer = map_buffer({.pages = Pages::thp, .bytes = kHugePageBytes});
  const auto address = reinterpret_cast<uintptr_t>(buffer.data);
  const Reading<bool> huge = check_huge(getpid(), address, kHugePageBytes);
  if (!huge.has_value()) return limited(setting + ", unverified", huge.reason, "");
  if (*huge) return works(setting + ", granted");
  return limited(setting + ", not granted",
                 "2 MiB were requested but came as 4 KiB pages: memory is fragmented",
                 "echo 1 | sudo tee /proc/sys/vm/compact_memory");
}

Check check_hugetlb() {
  const std::string meminfo = read_head("/proc/meminfo");
  const uint64_t free = keyed_number(meminfo, "HugePages_Free").value_or(0);
  const std::string found =
      fmt::format("{} of {} free", free, keyed_number(meminfo, "HugePages_Total").value_or(0));
  const Buffer buffer = map_buffer({.pages = Pages::hugetlb, .bytes = kHugePageBytes});
  if (buffer.pages == Pages::hugetlb && buffer.data != nullptr) return works(found);
  const int error = buffer.pages_error != 0 ? buffer.pages_error : buffer.error_number;
  return missing(found, free == 0 ? "none are reserved" : errno_text(error),
                 "sudo sysctl vm.nr_hugepages=16");
}

// Two buffers of the usual size.
Check check_lock() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const std::string found =
      limit.rlim_cur == RLIM_INFINITY ? "no limit" : "limit " + format_size(limit.rlim_cur);
  const Buffer buffer = map_buffer({.bytes = 2 * Settings{}.pipe.buf_size, .lock = true});
  if (buffer.lock_error == 0 && buffer.data != nullptr) return works(found);
  return limited(found, errno_text(buffer.lock_error), "sudo prlimit --pid $$ --memlock=unlimited");
}

constexpr uint64_t kPresent = 1ull << 63;
constexpr uint64_t kFrameMask = (1ull << 55) - 1;

// The frame number of the page at `address`; 0 if it is hidden.
uint64_t frame_of(int pagemap, const void* address) {
  uint64_t entry = 0;
  const auto offset = off_t(reinterpret_cast<uintptr_t>(address) / kPageBytes * sizeof entry);
  if (pread(pagemap, &entry, sizeof entry, offset) != ssize_t(sizeof entry)) return 0;
  return (entry & kPresent) != 0 ? entry & kFrameMask : 0;
}

Check check_page_flags() {
  const UniqueFd pagemap(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  const UniqueFd flags(open("/proc/kpageflags", O_RDONLY | O_CLOEXEC));
  const std::string refused = flags ? "" : "/proc/kpageflags: " + errno_text(errno);
  int here = 1;
  if (flags && pagemap && frame_of(pagemap.get(), &here) != 0)
    return works("pagemap and kpageflags");
  return limited("huge pages are detected from smaps only",
                 flags ? "/proc/self/pagemap hides frame numbers" : refused,
                 "run as root: sudo pipetop");
}

Check check_cpus() {
  const std::vector<Cpu> cpus = read_topology();
  std::string can, cannot;
  for (const Placement placement : kPairs) {
    PipeSettings request;
    request.placement = placement;
    const bool had = choose_cpus(request, cpus).placement == placement;
    std::string& list = had ? can : cannot;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", to_text(placement));
  }
  const std::string found = fmt::format("{}: {}{}", counted(cpus.size(), "CPU"), can,
                                        cannot.empty() ? "" : "; no " + cannot);
  if (cpus.size() >= 2) return works(found);
  return limited(found, "writer and reader must share the only CPU",
                 "taskset -cp 0-1 $$, or give the machine a second CPU");
}

// Since boot, because time is stolen only from running tasks, and doctor runs none.
Check check_steal() {
  const HostInfo host = read_host();
  const double share = steal_share({}, read_cpu_times());
  const std::string found = fmt::format(
      "{}, {:.1f} % of the time stolen since boot",
      host.hypervisor.empty() ? "bare metal" : "a guest of " + host.hypervisor, 100 * share);
  if (share <= kMuchSteal) return works(found);
  return limited(found, "other guests slow this one down: rates are unreliable",
                 "measure on a quiet or dedicated host");
}

}  // namespace

std::optional<PipeOwner> make_pipe() {
  try {
    return PipeOwner();
  } catch (const SystemError& refused) {
    errno = refused.error_number();
    return {};
  }
}

std::vector<Check> diagnose() {
  const ZeroCopyProbe probe = probe_zero_copy();
  Checks checks;
  add(checks, "pipe", check_pipe_size());
  add(checks, "vmsplice", check_vmsplice(probe));
  add(checks, "zero copy", check_zero_copy(probe));
  add(checks, "splice to /dev/null", check_splice());
  add(checks, "huge pages (thp)", check_thp());
  add(checks, "huge pages (hugetlb)", check_hugetlb());
  add(checks, "locked memory", check_lock());
  add(checks, "page flags", check_page_flags());
  add(checks, "CPUs and placement", check_cpus());
  add(checks, "host", check_steal());
  add(checks, "changed processes", check_changes());
  add(checks, "capabilities", works(describe_capabilities()));
  check_observers(checks);
  return checks;
}

}  // namespace pipetop
