#include "engine/process/threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "engine/base/handles.h"
#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/process/proc_files.h"

namespace pipetop {
namespace {

// As the kernel has CPUs, a bit each.
constexpr int kMostCpus = 8192;
using CpuMask = std::array<uint64_t, kMostCpus / 64>;

void add_thread(void* threads, pid_t tid) {
  static_cast<std::vector<pid_t>*>(threads)->push_back(tid);
}

}  // namespace

std::optional<uint64_t> start_ticks_of(pid_t pid) {
  const auto stat = read_task_stat(pid);
  return stat ? std::optional(stat->start_ticks) : std::nullopt;
}

int look_for(ProcessId process) {
  TaskStat stat;
  const int error = read_task_stat(process.pid, stat);
  // With hidepid= there is no file of other users' processes.
  if (error == ESRCH && (::kill(process.pid, 0) == 0 || errno == EPERM)) return EACCES;
  if (error != 0) return error;
  return stat.start_ticks == process.start_ticks ? 0 : ESRCH;
}

int each_thread(pid_t pid, void (*visit)(void* context, pid_t tid), void* context) {
  const UniqueFd folder(::open(proc_path(pid, "task").data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return errno == ENOENT ? ESRCH : errno;
  alignas(dirent64) std::array<char, 4096> entries;
  for (;;) {
    const long bytes = ::syscall(SYS_getdents64, folder.get(), entries.data(), entries.size());
    if (bytes <= 0) return bytes == 0 || errno == ENOENT ? 0 : errno;
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const dirent64*>(&entries[static_cast<size_t>(at)]);
      const std::string_view name(entry->d_name);
      pid_t tid = 0;
      std::from_chars(name.data(), name.data() + name.size(), tid);
      if (tid > 0) visit(context, tid);  // not "." and ".."
      at += entry->d_reclen;
    }
  }
}

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> threads;
  each_thread(pid, add_thread, &threads);
  std::ranges::sort(threads);
  return threads;
}

std::optional<int> nice_of(pid_t tid) {
  errno = 0;
  const int nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(tid));
  return errno == 0 ? std::optional(nice) : std::nullopt;
}

std::string user_of(ProcessId process) {
  const std::string ids(keyed_value(read_proc_file(process.pid, "status"), "Uid"));
  uid_t uid = 0;
  // The one that it acts as.
  if (std::sscanf(ids.c_str(), "%*u %u", &uid) != 1 || !exists(process)) return {};
  const passwd* const entry = ::getpwuid(uid);
  return entry ? one_line(entry->pw_name) : std::to_string(uid);
}

std::vector<int> cpus_of(pid_t tid) {
  CpuMask mask = {};
  auto* set = reinterpret_cast<cpu_set_t*>(mask.data());
  std::vector<int> cpus;
  if (::sched_getaffinity(tid, sizeof mask, set) != 0) return cpus;
  for (int cpu = 0; cpu < kMostCpus; ++cpu)
    if ((mask[static_cast<size_t>(cpu) / 64] >> (cpu % 64) & 1) != 0) cpus.push_back(cpu);
  return cpus;
}

int set_cpus(pid_t tid, std::span<const int> cpus) {
  CpuMask mask = {};
  for (const int cpu : cpus)
    if (cpu >= 0 && cpu < kMostCpus)
      mask[static_cast<size_t>(cpu) / 64] |= uint64_t{1} << (cpu % 64);
  const auto* set = reinterpret_cast<const cpu_set_t*>(mask.data());
  return ::sched_setaffinity(tid, sizeof mask, set) == 0 ? 0 : errno;
}

std::string cpu_list(std::span<const int> cpus) {
  std::string list;
  for (size_t first = 0, last = 0; first < cpus.size(); first = ++last) {
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    list += fmt::format("{}{}", list.empty() ? "" : ",", cpus[first]);
    if (last > first) list += fmt::format("-{}", cpus[last]);
  }
  return list;
}

}  // namespace pipetop
