// Files of /proc/PID of which nothing means that it is gone: what can't be read for a shortage of
// ours isn't known to be. These throw SystemError then.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/system_files.h"
#include "engine/process/proc_files.h"

namespace pipetop {

inline std::string read_known(pid_t pid, std::string_view name) {
  std::string text = read_proc_file(pid, name);
  if (text.empty()) check_shortage();
  return text;
}

inline std::optional<TaskStat> read_known_stat(pid_t pid) {
  TaskStat stat;
  errno = read_task_stat(pid, stat);
  if (errno == 0) return stat;
  check_shortage();
  return {};
}

}  // namespace pipetop
