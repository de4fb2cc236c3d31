#include "engine/observe/perf_events.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>

#include <cerrno>
#include <fstream>

namespace pipetop::observe {
namespace {

perf_event_attr describe(PerfClock clock, uint32_t hz) {
  perf_event_attr attr = {};
  attr.size = sizeof(attr);
  if (clock == PerfClock::cycles) {
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_CPU_CYCLES;
  } else {
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
  }
  attr.freq = 1;
  attr.sample_freq = hz;
  return attr;
}

UniqueFd open_event(perf_event_attr attr, int cpu) {
  return UniqueFd(
      static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace

PerfEvents open_perf_events(PerfClock clock, uint32_t hz) {
  const perf_event_attr attr = describe(clock, hz);
  const long cpus = sysconf(_SC_NPROCESSORS_CONF);
  PerfEvents events;
  for (int cpu = 0; cpu < cpus; ++cpu) {
    UniqueFd event = open_event(attr, cpu);
    if (event) {
      events.by_cpu.push_back(std::move(event));
    } else if (errno != ENODEV) {  // ENODEV: the CPU is off
      events.error_number = errno;
      events.by_cpu.clear();
      return events;
    }
  }
  if (events.by_cpu.empty()) events.error_number = ENODEV;
  return events;
}

uint32_t max_sample_hz() {
  uint32_t hz = 0;
  std::ifstream("/proc/sys/kernel/perf_event_max_sample_rate") >> hz;
  return hz > 0 ? hz : 100'000;
}

}  // namespace pipetop::observe
