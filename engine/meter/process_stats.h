// What /proc reports about a process, with or without BPF.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "engine/model/counts.h"

namespace pipetop {

// Totals since the process began.
struct ProcessStats {
  TaskTimes times;           // without blocked_ns and wakeups, which /proc does not have
  uint64_t page_faults = 0;  // minor and major ones
  int last_cpu = -1;
  std::map<pid_t, int> cpus;  // that each process last ran on
};

// From the texts of /proc/PID/{stat,schedstat,status}; nothing if one is malformed.
std::optional<ProcessStats> parse_process_stats(const std::string& stat,
                                                const std::string& schedstat,
                                                const std::string& status);

// Nothing if the process is gone. For several processes: the mean of their times,
// the sum of everything else, and no CPU.
std::optional<ProcessStats> read_process_stats(pid_t pid);
std::optional<ProcessStats> read_process_stats(std::span<const pid_t> pids);

}  // namespace pipetop
