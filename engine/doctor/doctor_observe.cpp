#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/numbers.h"
#include "engine/base/text.h"
#include "engine/doctor/doctor_checks.h"
#include "engine/observe/capabilities.h"
#include "engine/observe/observers.h"
#include "engine/observe/perf_events.h"
#include "engine/observe/ticks.h"

namespace pipetop {
namespace {

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
    const std::optional<double> tick_ns = observe::measure_tick_ns();
    if (!tick_ns) return works(fmt::format("{} at {} Hz", event->name, event->hz));
    return works(fmt::format("{} at {} Hz: a tick costs {:.0f} us", event->name,
                             observe::affordable_hz(*tick_ns), *tick_ns / 1e3));
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
  const Reading<Occupancy> occupancy = observers.occupancy();
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

}  // namespace

void check_observers(Checks& checks) {
  add(checks, "BTF", check_btf());
  add(checks, "perf events", check_perf());
  add(checks, "symbols", check_symbols());
  const std::optional<PipeOwner> pipe = make_pipe();
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

}  // namespace pipetop
