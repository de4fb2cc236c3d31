#include "engine/meter/process_stats.h"

#include <fmt/core.h>

#include <cinttypes>
#include <cstdio>

#include "engine/host/host_files.h"

namespace pipetop {

std::optional<ProcessStats> parse_process_stats(const std::string& stat,
                                                const std::string& schedstat,
                                                const std::string& status) {
  ProcessStats stats;
  uint64_t minor_faults = 0, major_faults = 0;
  // The command name may hold anything, so the fields are counted from its ")".
  const size_t close = stat.rfind(')');
  if (close == stat.npos) return {};
  if (std::sscanf(&stat[close + 1],
                  " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64
                  " %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %*d %*u %*u %*u %*u %*u %*u %*u"
                  " %*u %*u %*u %*u %*u %*u %*d %d",
                  &minor_faults, &major_faults, &stats.last_cpu) != 3)
    return {};
  stats.page_faults = minor_faults + major_faults;
  if (std::sscanf(schedstat.c_str(), "%" SCNu64 " %" SCNu64, &stats.times.on_cpu_ns,
                  &stats.times.runnable_ns) != 2)
    return {};
  const size_t switches = status.find("\nvoluntary_ctxt_switches:");
  if (switches == status.npos ||
      std::sscanf(&status[switches],
                  " voluntary_ctxt_switches: %" SCNu64 " nonvoluntary_ctxt_switches: %" SCNu64,
                  &stats.times.voluntary_switches, &stats.times.involuntary_switches) != 2)
    return {};
  return stats;
}

std::optional<ProcessStats> read_process_stats(pid_t pid) {
  // `status` lists groups and CPUs before what we need of it.
  const auto read = [&](const char* file) {
    return read_head(fmt::format("/proc/{}/{}", pid, file));
  };
  auto stats = parse_process_stats(read("stat"), read("schedstat"), read("status"));
  if (stats) stats->cpus = {{pid, stats->last_cpu}};
  return stats;
}

std::optional<ProcessStats> read_process_stats(std::span<const pid_t> pids) {
  if (pids.size() == 1) return read_process_stats(pids.front());
  if (pids.empty()) return {};
  ProcessStats sum;
  for (const pid_t pid : pids) {
    const auto one = read_process_stats(pid);
    if (!one) return {};
    sum.times.on_cpu_ns += one->times.on_cpu_ns;
    sum.times.runnable_ns += one->times.runnable_ns;
    sum.times.voluntary_switches += one->times.voluntary_switches;
    sum.times.involuntary_switches += one->times.involuntary_switches;
    sum.page_faults += one->page_faults;
    sum.cpus.insert(one->cpus.begin(), one->cpus.end());
  }
  sum.times.on_cpu_ns /= pids.size();
  sum.times.runnable_ns /= pids.size();
  return sum;
}

}  // namespace pipetop
