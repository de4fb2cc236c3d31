#include <fmt/core.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/base/unique_fd.h"
#include "engine/doctor/doctor_checks.h"
#include "engine/observe/capabilities.h"
#include "engine/observe/observers.h"

namespace pipetop {
namespace {

// A reading's reason is "why; remedy".
Check failed(std::string name, CheckResult result, std::string found, const std::string& reason) {
  const std::string why(why_of(reason));
  return {std::move(name), result, std::move(found), why,
          why == reason ? std::string() : reason.substr(why.size() + 2)};
}

Check check_btf() {
  const std::string name = "BTF";
  if (access("/sys/kernel/btf/vmlinux", R_OK) == 0) return works(name, "/sys/kernel/btf/vmlinux");
  return {name, CheckResult::missing, "no /sys/kernel/btf/vmlinux", errno_text(errno),
          "boot a kernel with CONFIG_DEBUG_INFO_BTF=y"};
}

// Opens an event for this process in kernel mode; returns 0 or errno.
int try_event(uint32_t type, uint64_t config) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = config;
  attributes.sample_period = 1'000'000;
  attributes.disabled = 1;
  const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return errno;
  const UniqueFd event{int(fd)};
  return 0;
}

Check check_perf() {
  const std::string name = "perf events";
  const int cycles = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  if (cycles == 0) return works(name, "cycles");
  const int clock = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
  if (clock != 0)
    return failed(
        name, CheckResult::missing, "none",
        observe::why_and_remedy({"perf_event_open", clock, {}}, observe::read_circumstances()));
  return {name, CheckResult::limited, "cpu-clock",
          fmt::format("no hardware cycles ({}): code that runs with interrupts disabled is "
                      "attributed to the code that enables them",
                      errno_text(cycles)),
          "give the virtual machine a PMU, or use real hardware"};
}

// Hidden addresses read as 0, but so do the first few per-CPU symbols.
bool addresses_are_shown(std::istream& kallsyms) {
  std::string line;
  for (int lines = 0; lines < 1000 && std::getline(kallsyms, line); ++lines)
    if (line.find_first_not_of('0') < line.find(' ')) return true;
  return false;
}

Check check_symbols() {
  const std::string name = "symbols";
  std::ifstream kallsyms("/proc/kallsyms");
  if (!kallsyms)
    return {name, CheckResult::missing, "no /proc/kallsyms", "the kernel was built without it",
            "boot a kernel with CONFIG_KALLSYMS=y"};
  if (addresses_are_shown(kallsyms)) return works(name, "/proc/kallsyms");
  return failed(name, CheckResult::missing, "addresses are hidden",
                observe::why_no_addresses(observe::read_circumstances()));
}

template <class T>
bool can_be_had(const Reading<T>& reading) {
  return reading.status != ReadingStatus::unavailable;
}

Check check_functions(const Observers& observers) {
  const std::string name = "functions (BPF sampler)";
  const Reading<SamplingEvent> event = observers.event();
  if (event.has_value()) return works(name, fmt::format("{} at {} Hz", event->name, event->hz));
  return failed(name, CheckResult::missing, "no kernel functions", event.reason);
}

Check check_blocked(const Observers& observers) {
  const std::string name = "blocked time (BPF tracepoints)";
  const Reading<TaskTimes> times = observers.times(Role::writer);
  if (can_be_had(times)) return works(name, "sched_switch");
  return failed(name, CheckResult::limited, "schedstat: no wake-ups, no stacks", times.reason);
}

Check check_ring(Observers& observers) {
  const std::string name = "ring (BPF iterator)";
  const Reading<RingFrame> frame = observers.ring_frame(monotonic_ns());
  if (frame.has_value()) return works(name, fmt::format("every slot of {}", frame->slots));
  return failed(name, CheckResult::missing, "no view of the slots", frame.reason);
}

Check check_occupancy(const Observers& observers) {
  const std::string name = "ring occupancy";
  const Reading<Occupancy> occupancy = observers.occupancy();
  if (occupancy.has_value() && occupancy->source.starts_with("FIONREAD"))
    return failed(name, CheckResult::limited, occupancy->source, observers.event().reason);
  if (occupancy.has_value()) return works(name, occupancy->source);
  if (can_be_had(occupancy)) return works(name, "at every sample");
  return failed(name, CheckResult::missing, "unknown", occupancy.reason);
}

// In one line.
Check check_counters(const char* layout_name, BpfCounters layout) {
  const std::string name = fmt::format("BPF counters, {}", layout_name);
  const Reading<observe::CounterCost> cost = observe::measure_counter_cost(layout);
  if (!cost.has_value())
    return failed(name, CheckResult::missing, "cannot be measured", cost.reason);
  std::string found;
  for (const auto& [cpus, ns] : cost->ns_by_cpus)
    found += fmt::format("{}{:.1f} ns per add on {} CPU{}", found.empty() ? "" : ", ", ns, cpus,
                         cpus == 1 ? "" : "s");
  return works(name, fmt::format("{}; {}", found, format_size(cost->bytes)));
}

}  // namespace

Checks check_observers() {
  Checks checks = {check_btf(), check_perf(), check_symbols()};
  const ScratchPipe pipe;
  if (pipe.error_number != 0) return checks;  // reported by check_pipes()
  ObserverOptions options;
  options.pipe_fd = pipe.read_end.get();
  Observers observers(options);
  observers.poll(monotonic_ns());
  checks.push_back(check_functions(observers));
  checks.push_back(check_blocked(observers));
  checks.push_back(check_ring(observers));
  checks.push_back(check_occupancy(observers));
  checks.push_back(check_counters("percpu", BpfCounters::percpu));
  checks.push_back(check_counters("shared", BpfCounters::shared));
  return checks;
}

}  // namespace pipetop
