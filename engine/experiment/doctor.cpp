#include "engine/experiment/doctor.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/base/numbers.h"
#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/host/buffer.h"
#include "engine/host/host.h"
#include "engine/host/machine_limits.h"
#include "engine/host/pipe_max_size.h"
#include "engine/observe/observers.h"
#include "engine/observe/perf_events.h"
#include "engine/observe/refusals.h"
#include "engine/observe/ticks.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/placement.h"
#include "engine/watch/intervention_words.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/main_capabilities.h"

namespace pipetop {
namespace {

using Checks = std::vector<Check>;

void add(Checks& checks, std::string name, Check check) {
  check.name = std::move(name);
  checks.push_back(std::move(check));
}

// Results without a name.
Check works(std::string found) { return {{}, CheckResult::works, std::move(found), {}, {}}; }
Check limited(std::string found, std::string why, std::string remedy) {
  return {{}, CheckResult::limited, std::move(found), std::move(why), std::move(remedy)};
}
Check missing(std::string found, std::string why, std::string remedy) {
  return {{}, CheckResult::missing, std::move(found), std::move(why), std::move(remedy)};
}

// Nothing, with errno set, if there is none.
std::optional<PipeOwner> own_pipe() {
  try {
    return PipeOwner();
  } catch (const SystemError& refused) {
    errno = refused.error_number();
    return {};
  }
}

std::string errno_text(int error_number) { return std::generic_category().message(error_number); }

constexpr const char* kSandbox =
    "leave the container or sandbox, or allow it: docker run --security-opt seccomp=unconfined";

constexpr std::array kPairs = {Placement::same_cpu, Placement::smt, Placement::near,
                               Placement::far};

Check check_pipe_size() {
  const bool repaired = repair_pipe_max_size().has_value();
  std::optional<PipeOwner> pipe = own_pipe();
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
  return works(left.in_use == 0 ? "no changes left behind" : "a running pipetop puts back its own");
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
  const std::optional<PipeOwner> pipe = own_pipe();
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
  return limited(found, "CPU time is stolen by other guests: rates are unreliable",
                 "measure on a quiet or dedicated host");
}

constexpr observe::TickRate kRate = {999};

// A reading's reason is "why; remedy".
Check failed(CheckResult result, std::string found, const std::string& reason) {
  const std::string why(why_of(reason));
  return {{}, result, std::move(found), why, why == reason ? "" : reason.substr(why.size() + 2)};
}

Check check_btf() {
  if (access("/sys/kernel/btf/vmlinux", R_OK) == 0) return works("/sys/kernel/btf/vmlinux");
  return missing("no /sys/kernel/btf/vmlinux", errno_text(errno),
                 "boot a kernel with CONFIG_DEBUG_INFO_BTF=y");
}

Check check_perf() {
  using observe::PerfClock;
  const int cycles = observe::open_perf_events(PerfClock::cycles, kRate).error_number;
  if (cycles == 0) return works("cycles");
  if (const int clock = observe::open_perf_events(PerfClock::cpu_clock, kRate).error_number)
    return failed(
        CheckResult::missing, "none",
        observe::why_and_remedy({"perf_event_open", clock, {}}, observe::read_circumstances()));
  return limited("cpu-clock",
                 fmt::format("no hardware cycles ({}): code that runs with interrupts disabled is "
                             "attributed to the code that enables them",
                             errno_text(cycles)),
                 "give the virtual machine a PMU, or use real hardware");
}

Check check_symbols() {
  if (!observe::Symbols::of_this_kernel().empty()) return works("/proc/kallsyms");
  return failed(CheckResult::missing, "addresses are hidden",
                observe::why_no_addresses(observe::read_circumstances()));
}

template <class T>
bool can_be_had(const Reading<T>& reading) {
  return reading.status != ReadingStatus::unavailable;
}

Check check_functions(const Observers& observers) {
  const Reading<SamplingEvent> event = observers.event();
  if (event.has_value()) {
    const std::optional<observe::TickCost> tick = observe::measure_tick_cost();
    if (!tick) return works(fmt::format("{} at {} Hz", event->name, event->hz));
    return works(fmt::format("{} at {} Hz: a tick costs {:.0f} us", event->name,
                             observe::affordable_hz(tick->ns), tick->ns / 1e3));
  }
  return failed(CheckResult::missing, "no kernel functions", event.reason);
}

Check check_blocked(const Observers& observers) {
  const Reading<TaskTimes> times = observers.times(Role::writer);
  if (can_be_had(times)) return works("sched_switch");
  return failed(CheckResult::limited, "schedstat: no wake-ups, no stacks", times.reason);
}

Check check_ring(Observers& observers) {
  const Reading<RingFrame> frame = observers.ring_frame(monotonic_ns());
  if (frame.has_value()) return works(fmt::format("every slot of {}", frame->slots));
  return failed(CheckResult::missing, "no view of the slots", frame.reason);
}

Check check_occupancy(const Observers& observers) {
  const Reading<Occupancy> occupancy = observers.occupancy(monotonic_ns());
  if (occupancy.has_value() && occupancy->source.starts_with("FIONREAD"))
    return failed(CheckResult::limited, occupancy->source, observers.event().reason);
  if (occupancy.has_value()) return works(occupancy->source);
  if (can_be_had(occupancy)) return works("at every sample");
  return failed(CheckResult::missing, "unknown", occupancy.reason);
}

// In one line.
Check check_counters(BpfCounters layout) {
  const Reading<observe::CounterCost> cost = observe::measure_counter_cost(layout);
  if (!cost.has_value()) return failed(CheckResult::missing, "cannot be measured", cost.reason);
  std::string found;
  for (const auto& [cpus, ns] : cost->ns_by_cpus)
    found += fmt::format("{}{:.1f} ns per add on {}", found.empty() ? "" : ", ", ns,
                         counted(uint64_t(cpus), "CPU"));
  return works(fmt::format("{}; {}", found, format_size(cost->bytes)));
}

void check_observers(Checks& checks) {
  add(checks, "BTF", check_btf());
  add(checks, "perf events", check_perf());
  add(checks, "symbols", check_symbols());
  const std::optional<PipeOwner> pipe = own_pipe();
  if (!pipe) return;  // reported by check_pipe_size()
  Observers observers({.pipe_fd = pipe->read_fd()});
  observers.poll(monotonic_ns());
  add(checks, "functions (BPF sampler)", check_functions(observers));
  add(checks, "blocked time (BPF tracepoints)", check_blocked(observers));
  add(checks, "ring (BPF iterator)", check_ring(observers));
  add(checks, "ring occupancy", check_occupancy(observers));
  add(checks, "BPF counters, percpu", check_counters(BpfCounters::percpu));
  add(checks, "BPF counters, shared", check_counters(BpfCounters::shared));
}

}  // namespace

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
