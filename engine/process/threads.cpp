#include "engine/process/threads.h"

#include <dirent.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>

#include "engine/process/task_stat.h"

namespace pipetop {
namespace {

constexpr int kMostCpus = 8192;
using ThreadCpus = std::array<cpu_set_t, kMostCpus / CPU_SETSIZE>;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

std::optional<uint64_t> start_ticks_of(pid_t pid) {
  const auto stat = read_task_stat(pid);
  return stat ? std::optional(stat->start_ticks) : std::nullopt;
}

bool exists(ProcessId process) { return start_ticks_of(process.pid) == process.start_ticks; }

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> threads;
  const std::unique_ptr<DIR, CloseFolder> folder(
      ::opendir(fmt::format("/proc/{}/task", pid).c_str()));
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    const std::string_view name(entry->d_name);
    pid_t tid = 0;
    std::from_chars(name.data(), name.data() + name.size(), tid);
    if (tid > 0) threads.push_back(tid);  // not "." and ".."
  }
  std::ranges::sort(threads);
  return threads;
}

std::optional<int> nice_of(pid_t tid) {
  errno = 0;
  const int nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(tid));
  if (errno != 0) return {};
  return nice;
}

int set_nice(pid_t tid, int nice) {
  return ::setpriority(PRIO_PROCESS, static_cast<id_t>(tid), nice) == 0 ? 0 : errno;
}

std::vector<int> cpus_of(pid_t tid) {
  ThreadCpus set = {};
  std::vector<int> cpus;
  if (::sched_getaffinity(tid, sizeof set, set.data()) != 0) return cpus;
  for (int cpu = 0; cpu < kMostCpus; ++cpu)
    if (CPU_ISSET_S(cpu, sizeof set, set.data())) cpus.push_back(cpu);
  return cpus;
}

int set_cpus(pid_t tid, std::span<const int> cpus) {
  ThreadCpus set = {};
  for (const int cpu : cpus)
    if (cpu >= 0 && cpu < kMostCpus) CPU_SET_S(static_cast<size_t>(cpu), sizeof set, set.data());
  return ::sched_setaffinity(tid, sizeof set, set.data()) == 0 ? 0 : errno;
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
