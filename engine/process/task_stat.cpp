#include "engine/process/task_stat.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdio>

#include "engine/base/clock.h"
#include "engine/base/unique_fd.h"

namespace pipetop {
namespace {

constexpr unsigned kKernelThread = 0x00200000;  // PF_KTHREAD

}  // namespace

uint64_t ns_per_tick() {
  static const auto per_second = static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  return kSecond / per_second;
}

std::optional<TaskStat> parse_task_stat(const std::string& text) {
  // The command's name may hold anything, also brackets.
  const size_t open = text.find('('), close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open) return {};
  TaskStat stat;
  stat.comm = text.substr(open + 1, close - open - 1);
  unsigned flags = 0;
  uint64_t user = 0, system = 0;
  if (std::sscanf(&text[close + 1],
                  " %c %d %d %d %*d %*d %u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
                  " %*d %*d %*d %*d %*d %*d %" SCNu64,
                  &stat.state, &stat.parent, &stat.group, &stat.session, &flags, &user, &system,
                  &stat.start_ticks) != 8)
    return {};
  stat.cpu_ticks = user + system;
  stat.is_kernel_thread = (flags & kKernelThread) != 0;
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

int read_start_ticks(pid_t pid, uint64_t& start_ticks) {
  constexpr int kFieldsBefore = 19;  // behind the command's name
  const UniqueFd file(::open(proc_path(pid, "stat").data(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno == ENOENT ? ESRCH : errno;
  std::array<char, 1024> text;
  const ssize_t bytes = ::read(file.get(), text.data(), text.size());
  if (bytes < 0) return errno;
  const std::string_view stat(text.data(), static_cast<size_t>(bytes));
  size_t at = stat.rfind(')');
  for (int i = 0; i <= kFieldsBefore && at != stat.npos; ++i) at = stat.find(' ', at + 1);
  if (at == stat.npos) return EIO;
  const char* const first = stat.data() + at + 1;
  return std::from_chars(first, stat.data() + stat.size(), start_ticks).ec == std::errc() ? 0 : EIO;
}

std::optional<TaskStat> read_task_stat(pid_t pid) {
  const UniqueFd file(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text;
  const ssize_t bytes = file ? ::read(file.get(), text.data(), text.size()) : -1;
  if (bytes < 0) return {};  // it may have exited meanwhile
  return parse_task_stat(std::string(text.data(), static_cast<size_t>(bytes)));
}

}  // namespace pipetop
