#include "engine/process/task_stat.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
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

std::optional<TaskStat> read_task_stat(pid_t pid) {
  const UniqueFd file(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text;
  const ssize_t bytes = file ? ::read(file.get(), text.data(), text.size()) : -1;
  if (bytes < 0) return {};  // it may have exited meanwhile
  return parse_task_stat(std::string(text.data(), static_cast<size_t>(bytes)));
}

}  // namespace pipetop
