#include "engine/process/proc_files.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <sstream>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/process/threads.h"

namespace pipetop {
namespace {

constexpr unsigned kKernelThread = 0x00200000;  // PF_KTHREAD
constexpr size_t kLongestStatus = 65536;        // it lists all groups and CPUs

// The numbers of fields in proc_pid_stat(5).
enum Field : size_t {
  kParent = 4,
  kGroup = 5,
  kSession = 6,
  kFlags = 9,
  kMinorFaults = 10,
  kChildFaults = 11,
  kMajorFaults = 12,
  kUserTicks = 14,
  kSystemTicks = 15,
  kStartTicks = 22,
  kLastCpu = 39,
  kFields
};

std::optional<ProcessIo> parse_io(const std::string& text) {
  const auto read = keyed_number(text, "rchar"), written = keyed_number(text, "wchar");
  const auto reads = keyed_number(text, "syscr"), writes = keyed_number(text, "syscw");
  if (!read || !written || !reads || !writes) return {};
  return ProcessIo{*read, *written, *reads, *writes};
}

}  // namespace

uint64_t ns_per_tick() {
  static const auto per_second = static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  return kSecond / per_second;
}

std::optional<TaskStat> parse_task_stat(std::string_view text) {
  // The command's name may hold anything, also brackets.
  const size_t open = text.find('('), close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open || close + 2 >= text.size())
    return {};
  TaskStat stat;
  std::ranges::copy(text.substr(open + 1, std::min(close - open, stat.name.size()) - 1),
                    stat.name.data());
  stat.state = text[close + 2];
  std::array<int64_t, kFields> fields = {};
  fields[kLastCpu] = -1;
  size_t found = kParent;
  for (size_t at = close + 3; found < kFields && at < text.size(); ++found) {
    const char* const digits = text.data() + at + 1;  // behind a blank
    const auto parsed = std::from_chars(digits, text.data() + text.size(), fields[found]);
    if (parsed.ec == std::errc::invalid_argument) break;  // one out of range is none of those above
    at = static_cast<size_t>(parsed.ptr - text.data());
  }
  if (found <= kStartTicks) return {};
  stat.parent = static_cast<pid_t>(fields[kParent]);
  stat.group = static_cast<pid_t>(fields[kGroup]);
  stat.session = static_cast<pid_t>(fields[kSession]);
  stat.is_kernel_thread = (static_cast<unsigned>(fields[kFlags]) & kKernelThread) != 0;
  // Sums without a sign, for a damaged text may have fields of any size.
  const auto count = [&](Field field) { return static_cast<uint64_t>(fields[field]); };
  stat.page_faults = count(kMinorFaults) + count(kMajorFaults);
  stat.child_faults = count(kChildFaults);
  stat.cpu_ticks = count(kUserTicks) + count(kSystemTicks);
  stat.start_ticks = count(kStartTicks);
  stat.last_cpu = static_cast<int>(fields[kLastCpu]);
  return stat;
}

std::array<char, 32> proc_path(pid_t pid, std::string_view name) {
  constexpr std::string_view kFolder = "/proc/";
  std::array<char, 32> path = {};
  char* end = std::ranges::copy(kFolder, path.data()).out;
  end = std::to_chars(end, path.data() + path.size(), pid).ptr;
  *end++ = '/';
  std::ranges::copy(name, end);
  return path;
}

int read_task_stat(pid_t pid, TaskStat& stat) {
  const UniqueFd file(::open(proc_path(pid, "stat").data(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno == ENOENT ? ESRCH : errno;
  std::array<char, 1024> text;
  const ssize_t bytes = ::read(file.get(), text.data(), text.size());
  if (bytes < 0) return errno;
  const auto parsed = parse_task_stat({text.data(), static_cast<size_t>(bytes)});
  if (parsed) stat = *parsed;
  return parsed ? 0 : EIO;
}

std::optional<TaskStat> read_task_stat(pid_t pid) {
  TaskStat stat;
  return read_task_stat(pid, stat) == 0 ? std::optional(stat) : std::nullopt;
}

// What its children moved counts as its own once it has waited for them: a shell's or make's says
// nothing.
std::optional<ProcessIo> read_process_io(pid_t pid) {
  const auto stat = read_task_stat(pid);
  if (!stat || stat->child_faults > 0) return {};
  return parse_io(read_proc_file(pid, "io"));
}

std::optional<ProcessIo> read_thread_io(pid_t pid, pid_t tid) {
  return parse_io(read_proc_file(pid, fmt::format("task/{}/io", tid)));
}

std::string read_proc_file(pid_t pid, std::string_view name, size_t limit) {
  return read_head(fmt::format("/proc/{}/{}", pid, name), limit);
}

std::vector<pid_t> children_of(pid_t pid) {
  constexpr size_t kMostBytes = 65536;
  std::istringstream text(read_proc_file(pid, fmt::format("task/{}/children", pid), kMostBytes));
  std::vector<pid_t> children;
  for (pid_t child = 0; text >> child;) children.push_back(child);
  return children;
}

pid_t pid_inside(pid_t pid) {
  return parse_pid_inside(read_proc_file(pid, "status", kLongestStatus));
}

pid_t parse_pid_inside(std::string_view status) {
  // One for each namespace, from ours to its own.
  const std::string_view pids = keyed_value(status, "NSpid");
  const auto inside = parse_all<pid_t>(pids.substr(pids.find_last_of(" \t") + 1));
  return keyed_number(status, "NSpid") == uint64_t(inside.value_or(0)) ? 0 : inside.value_or(0);
}

void require_proc() {
  if (::access("/proc/self/stat", F_OK) == 0) return;
  throw Error("/proc is not mounted here; mount -t proc proc /proc", Exit::refused);
}

pid_t thread_with_descriptors(pid_t pid) {
  TaskStat first;
  if (read_task_stat(pid, first) != 0 || !first.is_zombie()) return pid;
  pid_t living = pid;
  const auto visit = [](void* found, pid_t tid) {
    TaskStat stat;
    if (read_task_stat(tid, stat) == 0 && !stat.is_zombie()) *static_cast<pid_t*>(found) = tid;
  };
  each_thread(pid, visit, &living);
  return living;
}

std::string link_of(pid_t pid, int fd) {
  const auto link_at = [&](pid_t tid) { return read_link(fmt::format("/proc/{}/fd/{}", tid, fd)); };
  const std::string link = link_at(pid);
  return link.empty() ? link_at(thread_with_descriptors(pid)) : link;
}

std::string read_link(const std::string& path, int folder) {
  std::array<char, PATH_MAX> text;
  const ssize_t length = ::readlinkat(folder, path.c_str(), text.data(), text.size());
  return {text.data(), static_cast<size_t>(std::max<ssize_t>(length, 0))};
}

Access access_of(int flags) {
  switch (flags & O_ACCMODE) {
    case O_RDONLY:
      return Access::read;
    case O_WRONLY:
      return Access::write;
    default:
      return Access::both;
  }
}

NumberedNames::NumberedNames(const std::string& path, int folder) {
  UniqueFd fd(::openat(folder, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) open_.reset(::fdopendir(fd.get()));
  if (open_) fd.release();
}

std::optional<int> NumberedNames::next() {
  errno = 0;
  while (const dirent* entry = open_ ? readdir(open_.get()) : nullptr) {
    if (const auto number = parse_all<int>(entry->d_name)) return number;
  }
  open_.reset();
  return {};
}

std::optional<TaskTimes> parse_schedstat(const std::string& text) {
  TaskTimes times;
  const int found =
      std::sscanf(text.c_str(), "%" SCNu64 " %" SCNu64, &times.on_cpu_ns, &times.runnable_ns);
  return found == 2 ? std::optional(times) : std::nullopt;
}

std::optional<ProcessStats> parse_process_stats(std::string_view stat, const std::string& schedstat,
                                                std::string_view status) {
  const auto task = parse_task_stat(stat);
  const auto times = parse_schedstat(schedstat);
  const auto voluntary = keyed_number(status, "voluntary_ctxt_switches");
  const auto involuntary = keyed_number(status, "nonvoluntary_ctxt_switches");
  if (!task || task->last_cpu < 0 || !times || !voluntary || !involuntary) return {};
  ProcessStats stats;
  stats.times = *times;
  stats.page_faults = task->page_faults;
  stats.last_cpu = task->last_cpu;
  stats.times.voluntary_switches = *voluntary;
  stats.times.involuntary_switches = *involuntary;
  return stats;
}

std::optional<ProcessStats> read_process_stats(pid_t pid) {
  auto stats = parse_process_stats(read_proc_file(pid, "stat"), read_proc_file(pid, "schedstat"),
                                   read_proc_file(pid, "status", kLongestStatus));
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
