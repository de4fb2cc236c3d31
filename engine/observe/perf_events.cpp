#include "engine/observe/perf_events.h"

#include <fmt/core.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "bpf/sampler.h"
#include "engine/base/clock.h"
#include "engine/host/host_files.h"

namespace pipetop::observe {
namespace {

// The ticks of two CPUs must not be in lockstep. A tick delays its worker for some
// microseconds; if the other CPU's tick always came just then, it would always find
// the other worker waiting: a reader that ran a third of the time was sampled a
// thirtieth of the time. With a slightly longer period on each next CPU they drift
// through all phases twice a second.
uint64_t period_ns(uint32_t hz, int cpu) {
  const uint64_t period = 1'000'000'000 / hz;
  return period + static_cast<uint64_t>(cpu % 16) * period / 500;
}

perf_event_attr describe(PerfClock clock, uint32_t hz, int cpu) {
  perf_event_attr attr = {};
  attr.size = sizeof(attr);
  if (clock == PerfClock::cycles) {
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_CPU_CYCLES;
    attr.freq = 1;
    attr.sample_freq = hz;
  } else {
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_period = period_ns(hz, cpu);
  }
  return attr;
}

UniqueFd open_event(perf_event_attr attr, int cpu) {
  return UniqueFd(
      static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace

PerfEvents open_perf_events(PerfClock clock, uint32_t hz) {
  const long cpus = sysconf(_SC_NPROCESSORS_CONF);
  PerfEvents events;
  for (int cpu = 0; cpu < cpus; ++cpu) {
    UniqueFd event = open_event(describe(clock, hz, cpu), cpu);
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

std::string OnlineCpus::read() const { return first_line(read_head(file_, 4096)); }

std::string OnlineCpus::change(uint64_t now_ns) {
  if (now_ns < read_at_ns_ + kSecond) return {};
  read_at_ns_ = now_ns;
  const std::string before = std::exchange(online_, read());
  if (before == online_) return {};
  return fmt::format(
      "CPUs {} are online now, not {}: those that came or went are not sampled; restart pipetop",
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
