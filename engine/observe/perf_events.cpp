#include "engine/observe/perf_events.h"

#include <fmt/core.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "bpf/sampler.h"
#include "engine/base/clock.h"
#include "engine/base/system_files.h"

namespace pipetop::observe {
namespace {

// The ticks of two CPUs must not be in lockstep. A tick delays its worker for some
// microseconds; if the other CPU's tick always came just then, it would always find
// the other worker waiting: a reader that ran a third of the time was sampled a
// thirtieth of the time. With a slightly longer period on each next CPU they drift
// through all phases twice a second. If the rate does not last that long, periods differ
// more: the first ticks after a change come together.
uint64_t period_ns(TickRate rate, size_t cpu) {
  const uint64_t period = 1'000'000'000 / rate.hz;
  return period + cpu % 16 * period / (rate.lasts ? 500 : 30);
}

// What the kernel takes: the frequency itself, or a period.
uint64_t kernel_rate(PerfClock clock, TickRate rate, size_t cpu) {
  return clock == PerfClock::cycles ? rate.hz : period_ns(rate, cpu);
}

perf_event_attr describe(PerfClock clock, TickRate rate, size_t cpu) {
  perf_event_attr attr = {};
  attr.size = sizeof(attr);
  const bool cycles = clock == PerfClock::cycles;
  attr.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
  attr.config = cycles ? uint64_t{PERF_COUNT_HW_CPU_CYCLES} : uint64_t{PERF_COUNT_SW_CPU_CLOCK};
  attr.freq = cycles;
  attr.sample_freq = kernel_rate(clock, rate, cpu);  // in a union with sample_period
  return attr;
}

UniqueFd open_event(perf_event_attr attr, pid_t pid, int cpu) {
  return UniqueFd(
      static_cast<int>(syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace

PerfEvents open_perf_events(PerfClock clock, TickRate rate) {
  const long cpus = sysconf(_SC_NPROCESSORS_CONF);
  PerfEvents events;
  for (int cpu = 0; cpu < cpus; ++cpu) {
    UniqueFd event = open_event(describe(clock, rate, events.by_cpu.size()), -1, cpu);
    if (event) {
      events.by_cpu.push_back(std::move(event));
    } else if (errno != ENODEV) {  // ENODEV: the CPU is offline
      events.error_number = errno;
      events.by_cpu.clear();
      return events;
    }
  }
  if (events.by_cpu.empty()) events.error_number = ENODEV;
  return events;
}

void set_rate(PerfClock clock, std::span<const UniqueFd> by_cpu, TickRate rate) {
  for (size_t i = 0; i < by_cpu.size(); ++i) {
    const uint64_t value = kernel_rate(clock, rate, i);
    ::ioctl(by_cpu[i].get(), PERF_EVENT_IOC_PERIOD, &value);
  }
}

UniqueFd open_own_ticks(uint32_t hz) {
  perf_event_attr attr = describe(PerfClock::cpu_clock, {hz}, 0);
  attr.sample_type = PERF_SAMPLE_CALLCHAIN;
  attr.exclude_callchain_user = 1;
  attr.disabled = 1;
  return open_event(attr, 0, -1);
}

void enable(const UniqueFd& event, bool on) {
  ::ioctl(event.get(), on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

std::string OnlineCpus::read() const { return first_line(read_head(file_, 4096)); }

std::string OnlineCpus::change(uint64_t now_ns) {
  if (now_ns < read_at_ns_ + kSecond) return {};
  read_at_ns_ = now_ns;
  const std::string before = std::exchange(online_, read());
  if (before == online_) return {};
  return fmt::format("CPUs {} are online now, not {}: new ones are not sampled; restart pipetop",
                     online_, before);
}

uint32_t max_sample_hz() {
  return uint32_t(read_number("/proc/sys/kernel/perf_event_max_sample_rate", 100'000));
}

// The engine drains at least ten times a second. During that time each CPU can sample one of the
// watched processes at every tick. There is room for their deepest stacks, and so for four times
// as long with the usual ones of up to 30 frames.
uint32_t sample_buffer_bytes(uint32_t hz, size_t cpus) {
  constexpr uint64_t kMost = 64 << 20;  // even if all CPUs of the largest machines sample often
  const uint64_t busy = std::min<uint64_t>(cpus, SAMPLER_PROCESSES);
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t bytes = hz * busy * sizeof(sampler_sample) / 10;
  return static_cast<uint32_t>(std::min(std::bit_ceil(std::max(bytes, page)), kMost));
}

}  // namespace pipetop::observe
