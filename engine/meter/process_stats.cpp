#include "engine/meter/process_stats.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "engine/base/unique_fd.h"

namespace pipetop {
namespace {

std::optional<std::string> read_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text;
  const ssize_t bytes = fd ? ::read(fd.get(), text.data(), text.size()) : -1;
  if (bytes < 0) return {};
  return std::string(text.data(), static_cast<size_t>(bytes));
}

std::optional<uint64_t> status_field(std::string_view status, std::string_view name) {
  const size_t at = status.find(name);
  if (at == std::string_view::npos) return {};
  uint64_t value = 0;
  const std::string rest(status.substr(at + name.size(), 24));
  if (std::sscanf(rest.c_str(), " %" SCNu64, &value) != 1) return {};
  return value;
}

}  // namespace

std::optional<ProcessStats> parse_process_stats(std::string_view stat, std::string_view schedstat,
                                                std::string_view status) {
  ProcessStats stats;
  // The command name may hold anything, so the fields are counted from its ")".
  const size_t close = stat.rfind(')');
  if (close == std::string_view::npos) return {};
  const std::string fields(stat.substr(close + 1));
  if (std::sscanf(fields.c_str(),
                  " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64
                  " %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %*d %*u %*u %*u %*u %*u %*u %*u"
                  " %*u %*u %*u %*u %*u %*u %*d %d",
                  &stats.minor_faults, &stats.major_faults, &stats.last_cpu) != 3)
    return {};
  const std::string sched(schedstat);
  if (std::sscanf(sched.c_str(), "%" SCNu64 " %" SCNu64, &stats.times.on_cpu_ns,
                  &stats.times.runnable_ns) != 2)
    return {};
  const auto voluntary = status_field(status, "\nvoluntary_ctxt_switches:");
  const auto involuntary = status_field(status, "\nnonvoluntary_ctxt_switches:");
  if (!voluntary || !involuntary) return {};
  stats.times.voluntary_switches = *voluntary;
  stats.times.involuntary_switches = *involuntary;
  return stats;
}

std::optional<ProcessStats> read_process_stats(pid_t pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  const auto schedstat = read_file(fmt::format("/proc/{}/schedstat", pid));
  const auto status = read_file(fmt::format("/proc/{}/status", pid));
  if (!stat || !schedstat || !status) return {};
  auto stats = parse_process_stats(*stat, *schedstat, *status);
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
    sum.minor_faults += one->minor_faults;
    sum.major_faults += one->major_faults;
    sum.cpus.insert(one->cpus.begin(), one->cpus.end());
  }
  sum.times.on_cpu_ns /= pids.size();
  sum.times.runnable_ns /= pids.size();
  return sum;
}

}  // namespace pipetop
