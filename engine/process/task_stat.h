// /proc/PID/stat, and /proc/PID/task/TID/stat.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pipetop {

struct TaskStat {
  std::string comm;
  char state = '?';
  pid_t parent = 0, group = 0, session = 0;
  uint64_t start_ticks = 0;  // of the thread
  uint64_t cpu_ticks = 0;
  bool is_kernel_thread = false;

  // 'R' runs or waits for a CPU, which /proc doesn't tell apart.
  bool is_running() const { return state == 'R'; }
  bool is_zombie() const { return state == 'Z' || state == 'X'; }
};

// Of the clock that these ticks are of.
uint64_t ns_per_tick();

std::optional<TaskStat> parse_task_stat(const std::string& text);

// "/proc/4711/NAME", without memory: async-signal-safe.
std::array<char, 32> proc_path(pid_t pid, std::string_view name);

// When it began, without memory: async-signal-safe. Returns 0 or errno; ESRCH: there is no such
// process.
int read_start_ticks(pid_t pid, uint64_t& start_ticks);

// Of its first thread; nothing if there is no such process.
std::optional<TaskStat> read_task_stat(pid_t pid);

}  // namespace pipetop
