// What /proc/PID shows of a process and of its threads, with or without BPF.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/model/counts.h"
#include "engine/model/pipe_scan.h"

namespace pipetop {

// /proc/PID/stat, and /proc/PID/task/TID/stat. Needs no memory of its own, so that it can be read
// where only async-signal-safe calls are allowed.
struct TaskStat {
  std::array<char, 64> name = {};  // with a 0 at its end; it may hold any bytes
  char state = '?';
  pid_t parent = 0, group = 0, session = 0;
  uint64_t start_ticks = 0;  // of the thread
  uint64_t cpu_ticks = 0;
  uint64_t page_faults = 0;   // minor and major ones
  uint64_t child_faults = 0;  // minor ones of children that it has waited for; each has some
  int last_cpu = -1;
  bool is_kernel_thread = false;

  std::string_view comm() const { return name.data(); }
  // 'R' runs or waits for a CPU, which /proc doesn't tell apart.
  bool is_running() const { return state == 'R'; }
  bool is_zombie() const { return state == 'Z' || state == 'X'; }
};

// The length of the ticks that these times are counted in.
uint64_t ns_per_tick();

// Async-signal-safe.
std::optional<TaskStat> parse_task_stat(std::string_view text);

// "/proc/4711/NAME", without memory: async-signal-safe.
std::array<char, 32> proc_path(pid_t pid, std::string_view name);

// That of its first thread. Returns 0 or errno; ESRCH: there is no such process. Async-signal-safe.
int read_task_stat(pid_t pid, TaskStat& stat);
std::optional<TaskStat> read_task_stat(pid_t pid);

// What /proc/PID/io says of all read and write calls of a process, whatever they went to.
struct ProcessIo {
  uint64_t read_bytes = 0, written_bytes = 0;
  uint64_t reads = 0, writes = 0;  // calls
};
// Nothing: not allowed, gone, or not its own bytes alone.
std::optional<ProcessIo> read_process_io(pid_t pid);
// Of one thread alone.
std::optional<ProcessIo> read_thread_io(pid_t pid, pid_t tid);

// At most `limit` bytes of /proc/PID/NAME; "" if it can't be read.
std::string read_proc_file(pid_t pid, std::string_view name, size_t limit = 4096);

// Of its first thread.
std::vector<pid_t> children_of(pid_t pid);

// The pid that a process has in its own pid namespace, as in a container; 0: the same, or unknown.
pid_t pid_inside(pid_t pid);
// From a text of /proc/PID/status.
pid_t parse_pid_inside(std::string_view status);

// Throws Error if there is no /proc: nothing can be started or looked at then.
void require_proc();

// Which thread has the process's descriptors, in /proc/TID/fd: its first one, `pid`, or another if
// that one has ended and others go on. Async-signal-safe.
pid_t thread_with_descriptors(pid_t pid);

// The name behind /proc/PID/fd/FD, "pipe:[4711]" or a path; "" if it can't be read. Nothing is
// opened.
std::string link_of(pid_t pid, int fd);
std::string read_link(const std::string& path, int folder = AT_FDCWD);

// By the flags of open(2), which are "flags" of /proc/PID/fdinfo/FD, in octal.
Access access_of(int flags);

// The names in a folder that are numbers, as they come: there can be half a million.
class NumberedNames {
 public:
  NumberedNames() = default;
  // errno says why it can't be read.
  explicit NumberedNames(const std::string& path, int folder = AT_FDCWD);

  explicit operator bool() const { return open_ != nullptr; }
  int fd() const { return dirfd(open_.get()); }
  std::optional<int> next();  // after the last one it is closed; errno: why there is no more, or 0

 private:
  struct Close {
    void operator()(DIR* folder) const { closedir(folder); }
  };
  std::unique_ptr<DIR, Close> open_;
};

// Totals since the process began.
struct ProcessStats {
  TaskTimes times;  // without blocked_ns and wakeups, which /proc does not have
  uint64_t page_faults = 0;
  int last_cpu = -1;
  std::map<pid_t, int> cpus;  // that each process last ran on
};

// The times on CPUs and waiting for one in /proc/PID/schedstat; nothing if it is malformed.
std::optional<TaskTimes> parse_schedstat(const std::string& text);

// From the texts of /proc/PID/{stat,schedstat,status}; nothing if one is malformed.
std::optional<ProcessStats> parse_process_stats(std::string_view stat, const std::string& schedstat,
                                                std::string_view status);

// Nothing if the process is gone. For several processes: the mean of their times,
// the sum of everything else, and no CPU.
std::optional<ProcessStats> read_process_stats(pid_t pid);
std::optional<ProcessStats> read_process_stats(std::span<const pid_t> pids);

}  // namespace pipetop
